// Parallel reading: beside each block of this page what another edition says
// in its place. Blocks that say the same have the same number, `data-twin`; the
// other edition's are a script that is loaded when a reader asks for them.
import { node } from "./charts.js";
import { load } from "./load.js";
import { changeQuery, remembered } from "./remembered.js";

// A row of a table, and a paragraph whose first words make its looks, have
// their twin below on wide pages too.
const BELOW =
  "td, th, dt, .bd-article > section > p:has(> :is(strong, em):first-child)";

export function offerParallel() {
  /** @type {HTMLElement} */
  const nav = document.querySelector(".language-switch[data-parallel]");
  const article = document.querySelector(".bd-article");
  if (!nav || !article?.querySelector("[data-twin]")) return;
  const told = JSON.parse(nav.dataset.parallel);
  const html = document.documentElement;
  const loaded = {};
  let shown = "",
    wanted = "";

  // The choice is kept as the translation that is one side of the pair, so
  // that the English page and the Chinese one show the same two.
  const isOriginal = html.lang === told.original;
  function kept() {
    const choice = remembered("parallel");
    return isOriginal || !choice ? choice : told.original;
  }
  function keep(code) {
    remembered("parallel", code && !isOriginal ? html.lang : code);
    changeQuery((query) =>
      code ? query.set("with", code) : query.delete("with"),
    );
  }

  // What is read stays where it is on the screen.
  function inPlace(change) {
    const top = (block) => block.getBoundingClientRect().top;
    const blocks = [...article.querySelectorAll("[data-twin]")];
    const read = blocks.find((block) => top(block) >= 0);
    const before = read && top(read);
    change();
    if (read && scrollY > 0)
      scrollBy({ top: top(read) - before, behavior: "instant" });
  }

  function lay(code, texts) {
    for (const twin of article.querySelectorAll(".twin")) twin.remove();
    for (const side of article.querySelectorAll(".twin-own")) {
      side.replaceWith(...side.childNodes);
    }
    shown = code;
    if (code) html.dataset.parallel = code;
    else delete html.dataset.parallel;
    /** @type {NodeListOf<HTMLElement>} */
    const blocks = article.querySelectorAll("[data-twin]");
    for (const block of blocks) {
      const text = texts[block.dataset.twin];
      if (text === undefined) continue;
      const twin = { className: "twin", lang: code, innerHTML: text };
      if (!block.matches(BELOW)) {
        const own = [...block.childNodes];
        block.append(node("span", { className: "twin-own" }, ...own));
      }
      block.append(node("span", twin));
    }
  }

  async function show(code) {
    wanted = code;
    let texts = [];
    status.textContent = "";
    try {
      const address = told.folder.replace("{}", code);
      if (code) texts = await (loaded[code] ??= load(address));
    } catch {
      delete loaded[code];
      status.textContent = told.failed;
      return false;
    }
    if (wanted !== code) return false; // another button was faster
    inPlace(() => lay(code, texts));
    for (const button of buttons) {
      button.setAttribute("aria-pressed", button.lang === code);
    }
    return true;
  }

  const status = node("span", { role: "status" });
  const buttons = told.others.map(([lang, textContent]) =>
    node("button", {
      ...{ type: "button", textContent, lang, "aria-pressed": false },
      async onclick() {
        const code = shown === lang ? "" : lang;
        if (await show(code)) keep(code);
      },
    }),
  );
  const label = node("span", {
    id: "parallel-label",
    textContent: told.label,
  });
  const box = node(
    "div",
    { className: "parallel-choice", role: "group" },
    ...[label, ...buttons, status],
  );
  box.setAttribute("aria-labelledby", label.id);

  // On the cover the title comes first.
  const ways = article.querySelector(".ways-in");
  if (ways) ways.after(box);
  else article.prepend(box);
  const asked = new URLSearchParams(location.search).get("with");
  const codes = told.others.flat();
  const first = [asked, kept()].find((code) => code && codes.includes(code));
  if (first) show(first);
}
