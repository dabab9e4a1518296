// The menus of the header, the names of its buttons, and the way back to the
// top: what the theme has Bootstrap's 81 kB for.
const BUTTON = "[data-bs-toggle='dropdown']";
const buttons = document.querySelectorAll(BUTTON);
const menuOf = (button) =>
  button.parentElement.querySelector(".dropdown-menu");

function open(button, shown) {
  menuOf(button).classList.toggle("show", shown);
  button.classList.toggle("show", shown);
  button.setAttribute("aria-expanded", shown);
}

addEventListener("click", (event) => {
  const clicked =
    event.target instanceof Element && event.target.closest(BUTTON);
  for (const button of buttons)
    if (button == clicked || button.matches(".show"))
      open(button, button == clicked && !menuOf(button).matches(".show"));
});

addEventListener("keydown", ({ key }) => {
  /** @type {HTMLElement} */
  const button = document.querySelector(`${BUTTON}.show`);
  if (!button || key !== "Escape") return;
  open(button, false);
  button.focus();
});

/** @type {NodeListOf<HTMLElement>} */
const titled = document.querySelectorAll("[data-bs-title]");
for (const named of titled) named.title ||= named.dataset.bsTitle;

const toTop = document.getElementById("pst-back-to-top");
if (toTop) {
  let before = 0;
  toTop.addEventListener("click", () => scrollTo(0, 0));
  addEventListener("scroll", () => {
    const upwards = scrollY < before && scrollY > innerHeight / 4;
    toTop.style.display = upwards ? "block" : "none";
    before = scrollY;
  });
}
