// What scrolls by itself can be reached, and scrolled, from the keyboard: it
// is a stop of the Tab key as long as a part of it is out of sight.
const SCROLLING =
  "div.highlight pre, div.math > .equation, .pst-scrollable-table-container, " +
  ".preact-table, .cell_output .text_html, .sd-tab-content, fieldset";

// What is read of all boxes first lays the page out once, not once a box.
function offerScrolling() {
  const boxes = [...document.querySelectorAll(SCROLLING)];
  const scrolls = boxes.map((box) => box.scrollWidth > box.clientWidth + 1 &&
    /auto|scroll/.test(getComputedStyle(box).overflowX));
  for (const [i, box] of boxes.entries()) {
    if (scrolls[i] && box.tabIndex !== 0) box.tabIndex = 0;
    if (!scrolls[i] && box.tabIndex === 0) box.removeAttribute("tabindex");
  }
}

// Once in a frame, whatever has happened in it.
let offered = null;
function offerSoon() {
  offered ??= requestAnimationFrame(() => {
    offered = null;
    offerScrolling();
  });
}

addEventListener("load", () => {
  const article = document.querySelector(".bd-article");
  if (article) new ResizeObserver(offerSoon).observe(article);
});
document.addEventListener("toggle", offerSoon, true);
document.addEventListener("click", offerSoon);

// A slider says what is shown beside it, which is more than its position.
function sayValues() {
  for (const slider of document.querySelectorAll("[type=range]")) {
    const shown = slider.parentElement.querySelector("output");
    if (shown && shown.textContent.trim()) {
      slider.setAttribute("aria-valuetext", shown.textContent.trim());
    } else if (!slider.hasAttribute("aria-valuetext")) {
      slider.setAttribute("aria-valuetext", slider.value);
    }
  }
}

addEventListener("load", sayValues);
for (const event of ["input", "click"]) { // a click may bring a slider
  document.addEventListener(event, () => setTimeout(sayValues));
}
