// What scrolls by itself can be reached, and scrolled, from the keyboard: it
// is a stop of the Tab key as long as a part of it is out of sight.
const SCROLLING =
  "div.highlight pre, div.math > .equation, .pst-scrollable-table-container, " +
  ".preact-table, .cell_output .text_html, .sd-tab-content, fieldset";

// What is read of all boxes first lays the page out once, not once a box.
function offerScrolling(place) {
  const boxes = [...place.querySelectorAll(SCROLLING)];
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

// Once in a frame, whatever has happened in it. A click changes what is near it;
// the rest of the page where it changes in size.
const places = new Set();
function offerSoon({ target }) {
  const near = target.closest?.(".cell, .sd-tab-set, .exercise") ?? document;
  if (!places.size) {
    requestAnimationFrame(() => {
      for (const place of places) offerScrolling(place);
      places.clear();
    });
  }
  places.add(near);
}

addEventListener("DOMContentLoaded", () => {
  const article = document.querySelector(".bd-article");
  if (!article) return;
  new ResizeObserver(([one]) => offerSoon(one)).observe(article);
});
document.addEventListener("toggle", offerSoon, true);
document.addEventListener("click", offerSoon);
