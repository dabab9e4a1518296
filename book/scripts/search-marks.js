// A page that a search result opened: the words that were found are marked in
// its section, until the reader removes the marks.
export function markFound() {
  const asked = new URLSearchParams(location.search)
    .getAll("mark")
    .filter(Boolean);
  const target = document.getElementById(
    decodeURIComponent(location.hash.slice(1)),
  );
  if (!asked.length || !target) return;
  const section = target.closest("section, .exercise, .claim-entry") ?? target;
  const escaped = asked
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const word = new RegExp(
    escaped
      .map(
        (text) =>
          (/^\w/.test(text) ? `(?<![\\p{L}\\p{N}])${text}` : text) +
          (/\w$/.test(text) ? "(?![\\p{L}\\p{N}])" : ""),
      )
      .join("|"),
    "giu",
  );
  const OTHER =
    "svg, script, style, button, textarea, mjx-container, .math, .headerlink, mark";

  function texts() {
    const walker = document.createTreeWalker(
      section,
      NodeFilter.SHOW_TEXT,
      (text) => {
        const parent = text.parentElement;
        const own = parent.closest(
          "section[id]:not([id$=-content]), .exercise, .claim-entry",
        );
        return own === section && !parent.closest(OTHER)
          ? NodeFilter.FILTER_ACCEPT
          : NodeFilter.FILTER_REJECT;
      },
    );
    const found = [];
    while (walker.nextNode()) found.push(walker.currentNode);
    return found;
  }

  for (const text of texts()) {
    const hits = [...text.data.matchAll(word)];
    for (const hit of hits.reverse()) {
      const rest = text.splitText(hit.index);
      rest.splitText(hit[0].length);
      const mark = document.createElement("mark");
      mark.className = "search-mark";
      rest.replaceWith(mark);
      mark.append(rest);
    }
  }
  const marks = [...document.querySelectorAll(".search-mark")];
  if (!marks.length) return;
  const told = JSON.parse(
    document.getElementById("pst-search-dialog").dataset.search,
  );
  const button = document.createElement("button");
  Object.assign(button, {
    type: "button",
    className: "search-unmark",
    textContent: told.unmark,
  });
  function remove() {
    for (const mark of marks) {
      const parent = mark.parentNode;
      mark.replaceWith(...mark.childNodes);
      parent?.normalize();
    }
    button.remove();
    removeEventListener("keydown", onEscape);
    const query = new URLSearchParams(location.search);
    query.delete("mark");
    const others = String(query) && `?${query}`;
    try {
      history.replaceState(
        null,
        "",
        location.pathname + others + location.hash,
      );
    } catch {
      // a page opened as a file keeps its address
    }
  }
  function onEscape(event) {
    if (event.key === "Escape" && !document.querySelector("dialog[open]"))
      remove();
  }
  button.addEventListener("click", remove);
  addEventListener("keydown", onEscape);
  document.querySelector(".bd-article").append(button);
}
