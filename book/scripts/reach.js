// What scrolls by itself can be reached, and scrolled, from the keyboard: it
// is a stop of the Tab key as long as a part of it is out of sight.
const SCROLLING =
  "div.highlight pre, div.math > .equation, .pst-scrollable-table-container, " +
  ".preact-table, .cell_output .text_html, .sd-tab-content, fieldset";
const SLIDERS = "[type=range]";

// What a place holds is searched once, until more of it comes: a search of a
// builder's thousands of nodes at each move would be a tenth of the move.
let known = new Map();
function all(place, selector) {
  if (!known.has(place)) known.set(place, {});
  return (known.get(place)[selector] ??= [
    ...place.querySelectorAll(selector),
  ]);
}
const WANTED = `:is(${SCROLLING}, ${SLIDERS})`;
const brings = (node) =>
  node instanceof HTMLElement &&
  (node.matches(WANTED) || node.querySelector(WANTED));
const growth = new MutationObserver((records) => {
  if (records.some(({ addedNodes }) => [...addedNodes].some(brings))) {
    known = new Map();
  }
});

// What is read of all boxes first lays the page out once, not once a box.
function offerScrolling(place) {
  const boxes = all(place, SCROLLING);
  const scrolls = boxes.map(
    (box) =>
      box.scrollWidth > box.clientWidth + 1 &&
      /auto|scroll/.test(getComputedStyle(box).overflowX),
  );
  for (const [i, box] of boxes.entries()) {
    if (scrolls[i] && box.tabIndex !== 0) box.tabIndex = 0;
    if (!scrolls[i] && box.tabIndex === 0) box.removeAttribute("tabindex");
  }
}

// Once in a frame, whatever has happened in it.
let places = null;
function offerSoon(place) {
  if (places) return places.add(place);
  places = new Set([place]);
  requestAnimationFrame(() => {
    for (const place of places) offerScrolling(place);
    places = null;
  });
}

// A click changes what is near it; the rest of the page where it changes in size.
const near = ({ target }) =>
  (target instanceof Element &&
    target.closest(".cell, .sd-tab-set, .exercise")) ||
  document;

addEventListener("DOMContentLoaded", () => {
  growth.observe(document.body, { childList: true, subtree: true });
  const article = document.querySelector(".bd-article");
  if (article) new ResizeObserver(() => offerSoon(document)).observe(article);
});
document.addEventListener("toggle", (event) => offerSoon(near(event)), true);
document.addEventListener("click", (event) => offerSoon(near(event)));

// A slider says what is shown beside it, which is more than its position.
function sayValues(place) {
  for (const slider of all(place, SLIDERS)) {
    const shown = slider.parentElement.querySelector("output");
    const text = shown?.textContent.trim();
    if (!text && slider.hasAttribute("aria-valuetext")) continue;
    if (slider.getAttribute("aria-valuetext") !== (text || slider.value)) {
      slider.setAttribute("aria-valuetext", text || slider.value);
    }
  }
}

addEventListener("DOMContentLoaded", () => sayValues(document));
for (const name of ["input", "click"]) {
  // a click may bring a slider
  document.addEventListener(name, (event) =>
    setTimeout(() => sayValues(near(event))),
  );
}
