/* The language switch leads to the section that is being read, and a search
   to the same search. */
document.addEventListener("click", (event) => {
  /** @type {HTMLAnchorElement} */
  const link =
    event.target instanceof Element &&
    event.target.closest(".language-switch a");
  if (!link) return;
  try {
    localStorage.setItem("language", link.hreflang);
  } catch {
    // a page opened as a file may not keep anything
  }
  const seen = [
    ...document.querySelectorAll(".bd-article > section > section[id]"),
  ]
    .filter((section) => section.getBoundingClientRect().top < innerHeight / 2)
    .at(-1);
  const asked =
    location.hash && document.getElementById(location.hash.slice(1));
  const near =
    asked && Math.abs(asked.getBoundingClientRect().top) < innerHeight;
  link.hash = near ? location.hash : seen ? "#" + seen.id : "";
  link.search = location.search;
});
