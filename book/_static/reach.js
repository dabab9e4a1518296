// What scrolls by itself can be reached, and scrolled, from the keyboard: it
// is a stop of the Tab key as long as a part of it is out of sight.
const SCROLLING =
  "div.highlight pre, div.math > .equation, .pst-scrollable-table-container, " +
  ".preact-table, .cell_output .text_html, .sd-tab-content, fieldset";

function offerScrolling() {
  for (const box of document.querySelectorAll(SCROLLING)) {
    const scrolls = /auto|scroll/.test(getComputedStyle(box).overflowX);
    if (scrolls && box.scrollWidth > box.clientWidth + 1) {
      box.tabIndex = 0;
    } else if (box.tabIndex === 0) {
      box.removeAttribute("tabindex");
    }
  }
}

addEventListener("load", () => {
  const article = document.querySelector(".bd-article");
  if (article) new ResizeObserver(offerScrolling).observe(article);
});
document.addEventListener("toggle", offerScrolling, true);
document.addEventListener("click", () => setTimeout(offerScrolling));

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
