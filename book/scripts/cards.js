// What a mark in the text refers to, shown beside it while the pointer or the
// keyboard rests there: a formula, a figure or a publication of the same page, the
// scope of a claim. What is in sight, or is still concealed, is not shown.
import { node } from "./charts.js";

const MARKS =
  ".bd-article a:is(.claim-mark, :is(.internal, .footnote-reference)[href^='#'])";
const TARGETS = ":is(div.math, figure, .footnote):not(.concealed[hidden] *)";
const EXTRAS = "button, .backrefs, .headerlink, .preact-data";
const LEAST = 6, // px to the edges and to the mark
  RESTS = 250; // ms until it shows, or goes

let card, waits, marked;

function inSight(box) {
  const { top, bottom } = box.getBoundingClientRect();
  return box.checkVisibility() && top >= 0 && bottom <= innerHeight;
}

// Nothing in a copy is a target, or a stop of the Tab key.
function copyOf(target) {
  const copy = target.cloneNode(true);
  for (const node of [copy, ...copy.querySelectorAll("*")]) {
    for (const name of ["id", "tabindex"]) node.removeAttribute(name);
    if (node.matches("a")) node.removeAttribute("href");
  }
  for (const node of copy.querySelectorAll(EXTRAS)) node.remove();
  return copy;
}

function contentOf(mark) {
  if (mark.matches(".claim-mark")) {
    mark.dataset.scope ??= mark.title;
    mark.removeAttribute("title"); // the browser would show it, too
    return mark.dataset.scope;
  }
  const target = document.getElementById(mark.hash.slice(1));
  const shows = target?.matches(TARGETS) && !inSight(target);
  return shows ? copyOf(target) : null;
}

function show(mark) {
  const content = contentOf(mark);
  if (!content) return;
  if (!card) {
    const looks = { className: "reference-card", popover: "manual" };
    card = node("div", { ...looks, "aria-hidden": true }); // a copy
    mark.closest(".bd-article").append(card);
  }
  card.replaceChildren(content);
  card.showPopover();
  const { left, top, bottom } = mark.getBoundingClientRect();
  const { offsetWidth: wide, offsetHeight: high } = card;
  const right = document.documentElement.clientWidth - LEAST - wide;
  const above = top - LEAST - high;
  card.style.left = `${Math.max(LEAST, Math.min(left, right))}px`;
  const below = Math.min(bottom + LEAST, innerHeight - LEAST - high);
  card.style.top = `${above >= LEAST ? above : below}px`;
}

const opened = () => card?.matches(":popover-open");

function hide() {
  clearTimeout(waits);
  marked = null;
  if (opened()) card.hidePopover();
}

function rest(mark) {
  if (mark === marked && opened()) return clearTimeout(waits);
  hide();
  marked = mark;
  waits = setTimeout(() => show(mark), RESTS);
}

function leave() {
  clearTimeout(waits);
  waits = setTimeout(hide, RESTS);
}

// A finger follows the link.
export function offerCards() {
  addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType !== "mouse" || !(target instanceof Element)) return;
    const mark = target.closest(MARKS);
    if (mark) rest(mark);
    else if (target.closest(".reference-card")) clearTimeout(waits);
    else if (marked) leave();
  });
  addEventListener("focusin", ({ target }) => {
    if (!(target instanceof Element) || !target.matches(MARKS)) return;
    if (target.matches(":focus-visible")) rest(target);
  });
  addEventListener("focusout", hide);
  addEventListener("keydown", ({ key }) => key === "Escape" && hide());
  addEventListener("scroll", () => opened() && hide(), { passive: true });
}
