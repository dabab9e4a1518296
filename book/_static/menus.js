// The menus of the header, the names of its buttons, and the way back to the
// top: what the theme has Bootstrap's 81 kB for.
(() => {
  const BUTTON = "[data-bs-toggle='dropdown']";
  const menuOf = (button) =>
    button.parentElement.querySelector(".dropdown-menu");

  function open(button, shown) {
    menuOf(button).classList.toggle("show", shown);
    button.classList.toggle("show", shown);
    button.setAttribute("aria-expanded", shown);
  }

  addEventListener("click", (event) => {
    const clicked = event.target.closest(BUTTON);
    for (const button of buttons)
      if (button == clicked || button.matches(".show"))
        open(button, button == clicked && !menuOf(button).matches(".show"));
  });

  addEventListener("keydown", (event) => {
    const button = document.querySelector(`${BUTTON}.show`);
    if (!button) return;
    const items = [...menuOf(button).querySelectorAll("a, button")];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      const here = items.indexOf(document.activeElement);
      const next = here < 0 && step < 0 ? -1 : here + step;
      items.at(next % items.length).focus();
      event.preventDefault();
    } else if (event.key == "Escape") {
      open(button, false);
      button.focus();
    }
  });

  let buttons = [];
  addEventListener("DOMContentLoaded", () => {
    buttons = document.querySelectorAll(BUTTON);
    for (const named of document.querySelectorAll("[data-bs-title]"))
      named.title ||= named.dataset.bsTitle;
    const top = document.getElementById("pst-back-to-top");
    if (!top) return;
    let before = 0;
    top.addEventListener("click", () => scrollTo(0, 0));
    addEventListener("scroll", () => {
      const upwards = scrollY < before && scrollY > innerHeight / 4;
      top.style.display = upwards ? "block" : "none";
      before = scrollY;
    });
  });
})();
