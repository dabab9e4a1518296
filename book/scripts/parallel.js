// Parallel reading: beside each block of this page what another edition says
// in its place. Blocks that say the same have the same number, `data-twin`; the
// other edition's are a script that is loaded when a reader asks for them.
import { load } from "./load.js";

export function offerParallel() {
  /** @type {HTMLElement} */
  const nav = document.querySelector(".language-switch[data-parallel]");
  const article = document.querySelector(".bd-article");
  if (!nav || !article?.querySelector("[data-twin]")) return;
  const told = JSON.parse(nav.dataset.parallel);
  const own = document.documentElement.lang;
  const html = document.documentElement;
  // A row of a table, and a paragraph whose first words make its looks, have
  // their twin below on wide pages too.
  const BELOW =
    "td, th, dt, .bd-article > section > p:has(> :is(strong, em):first-child)";
  const loaded = {};
  let shown = "",
    wanted = "";

  // The choice is kept as the translation that is one side of the pair, so
  // that the English page and the Chinese one show the same two.
  const pair = (code) => (own === told.original ? code : own);
  function kept() {
    try {
      const choice = localStorage.getItem("parallel");
      if (!choice) return "";
      return own === told.original ? choice : told.original;
    } catch {
      return "";
    }
  }

  function keep(code) {
    try {
      if (code) localStorage.setItem("parallel", pair(code));
      else localStorage.removeItem("parallel");
    } catch {
      // a page opened as a file may not keep anything
    }
    const address = new URL(location.href);
    if (code) address.searchParams.set("with", code);
    else address.searchParams.delete("with");
    try {
      history.replaceState(null, "", address);
    } catch {
      // a page opened as a file keeps its address
    }
  }

  function fetchTexts(code) {
    loaded[code] ??= load(told.folder.replace("{}", code));
    return loaded[code];
  }

  // What is read stays where it is on the screen.
  function inPlace(change) {
    const asked =
      location.hash && document.getElementById(location.hash.slice(1));
    const top = (node) => node.getBoundingClientRect().top;
    const read =
      asked && Math.abs(top(asked)) < innerHeight
        ? asked
        : [...article.querySelectorAll("[data-twin]")].find(
            (node) => top(node) >= 0,
          );
    const before = read && top(read);
    change();
    if (read && scrollY > 0)
      scrollBy({ top: top(read) - before, behavior: "instant" });
  }

  function take(code) {
    for (const twin of article.querySelectorAll(".twin")) twin.remove();
    for (const side of article.querySelectorAll(".twin-own")) {
      side.replaceWith(...side.childNodes);
    }
    delete html.dataset.parallel;
    shown = code;
  }

  function lay(code, texts) {
    take(code);
    html.dataset.parallel = code;
    /** @type {NodeListOf<HTMLElement>} */
    const blocks = article.querySelectorAll("[data-twin]");
    for (const block of blocks) {
      const text = texts[block.dataset.twin];
      if (text === undefined) continue;
      const twin = document.createElement("span");
      Object.assign(twin, { className: "twin", lang: code, innerHTML: text });
      if (block.matches(BELOW)) {
        block.append(twin);
        continue;
      }
      const side = document.createElement("span");
      side.className = "twin-own";
      side.append(...block.childNodes);
      block.append(side, twin);
    }
  }

  const box = document.createElement("div");
  const label = document.createElement("span");
  const status = document.createElement("span");
  box.className = "parallel-choice";
  label.id = "parallel-label";
  label.textContent = told.label;
  box.setAttribute("role", "group");
  box.setAttribute("aria-labelledby", label.id);
  status.setAttribute("role", "status");
  const buttons = told.others.map(([code, name]) => {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: name, lang: code });
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () =>
      show(shown === code ? "" : code, true),
    );
    return [code, button];
  });
  box.append(label, ...buttons.map(([, button]) => button), status);

  async function show(code, chosen) {
    wanted = code;
    let texts = [];
    status.textContent = "";
    try {
      if (code) texts = await fetchTexts(code);
    } catch {
      delete loaded[code];
      status.textContent = told.failed;
      return;
    }
    if (wanted !== code) return; // another button was faster
    inPlace(() => (code ? lay(code, texts) : take("")));
    for (const [each, button] of buttons) {
      button.setAttribute("aria-pressed", each === code);
    }
    if (chosen) keep(code);
  }

  // On the cover the title comes first.
  const ways = article.querySelector(".ways-in");
  if (ways) ways.after(box);
  else article.prepend(box);
  const asked = new URLSearchParams(location.search).get("with");
  const first = [asked, kept()].find(
    (code) => code && told.others.flat().includes(code),
  );
  if (first) show(first, false);
}
