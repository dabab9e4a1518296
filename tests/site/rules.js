// What holds on every page, at every width of a window, in both themes and on
// paper. A rule returns what breaks it, in a form that finds the place.
const all = (what) => [...document.querySelectorAll(what)];
const say = (node) => node.outerHTML.slice(0, 120);
const box = (node) => node.getBoundingClientRect();
const style = (node) => getComputedStyle(node);
const scrolls = (node) => /auto|scroll/.test(style(node).overflowX);
const within = (node, test) => {
  for (let up = node; up && !up.matches(".bd-article"); up = up.parentElement)
    if (test(up)) return true;
  return false;
};
const hidden = "details:not([open]), .visually-hidden";
const characterBox = (text, from, to = from + 1) => {
  const range = document.createRange();
  range.setStart(text, from);
  range.setEnd(text, to);
  return box(range);
};
// Equations whose formula is wider than the room that they have.
const equations = () => all("div.math > .equation");
const glyphs = (node) => [...node.querySelectorAll("mi, mn, mo")];

// A number that ends a line, or begins one, without what belongs to it.
const PAIR = new RegExp(
  [
    /\d\s(?:[%×]|[kMG]i?B\b|m?s\b)/,
    /[×±]\s\d/,
    /\b(?:Fig|Eq)s?\.\s\(?\d/,
    /[图圖表式第]\s\(?\d/,
    /\d\s[章节節]/,
    /[A-Za-z]-\d/,
    /(?<![A-Za-z])[A-Za-zα-ω]\s=\s[−-]?\d/,
  ]
    .map((one) => one.source)
    .join("|"),
  "g",
);
const texts = (part) => {
  const found = [];
  const walker = document.createTreeWalker(
    part,
    NodeFilter.SHOW_TEXT,
    (text) =>
      text.parentElement.closest("math, pre, code, svg, style")
        ? NodeFilter.FILTER_REJECT
        : NodeFilter.FILTER_ACCEPT,
  );
  while (walker.nextNode()) found.push(walker.currentNode);
  return found;
};
const lightness = (color) => {
  const [r, g, b, a = 1] = color.match(/[0-9.]+/g).map(Number);
  return 1 - a * (1 - (r + g + b) / 765);
};

const RULES = {
  anyWidth: {
    "the page scrolls sideways": () => {
      const { scrollWidth } = document.documentElement;
      return scrollWidth > innerWidth ? [scrollWidth] : [];
    },
    "out of the window, and no box scrolls to it": () => {
      const left = Math.min(
        box(document.querySelector(".bd-article")).left,
        0,
      );
      return all(`.bd-article :is(table, pre, svg, p, figcaption, fieldset,
          input, label, th, td)`)
        .filter((node) => {
          const { width, left: from, right } = box(node);
          return (
            width > 1 &&
            (right > innerWidth + 1 || from < left - 1) &&
            !node.closest(hidden) &&
            !within(node, scrolls)
          );
        })
        .map(say);
    },
    "scrolls, but has no shadow or is no stop of the keyboard": () =>
      all(`.bd-article :is(pre, .equation, .text_html, .preact-table,
          .pst-scrollable-table-container)`)
        .filter(
          (node) =>
            scrolls(node) &&
            node.clientWidth > 0 &&
            node.scrollWidth > node.clientWidth + 1 &&
            (node.tabIndex !== 0 ||
              !/gradient/.test(style(node).backgroundImage) ||
              [...node.querySelectorAll("tr, th, td")].some((part) =>
                /^rgb\(/.test(style(part).backgroundColor),
              )),
        )
        .map(say),
    "a folded box cuts off its button": () =>
      all(".toggle-button:not([hidden] *)")
        .filter((button) => {
          const own = box(button),
            outer = box(button.closest(".admonition"));
          return !(
            own.width &&
            outer.top <= own.top &&
            own.bottom <= outer.bottom &&
            own.right <= outer.right
          );
        })
        .map(say),
    "a word of a drawing is cut": () =>
      all(".preact-figure svg")
        .filter((svg) => svg.checkVisibility())
        .flatMap((svg) => {
          const outer = box(svg);
          return [...svg.querySelectorAll("text")]
            .filter((text) => {
              const own = box(text);
              return (
                own.width &&
                (own.left < outer.left - 2 ||
                  own.top < outer.top - 2 ||
                  own.right > outer.right + 2 ||
                  own.bottom > outer.bottom + 2)
              );
            })
            .map((text) => text.textContent);
        }),
    "a line begins with the sign that closes a formula": () =>
      all(".bd-article span.math")
        .filter((formula) => {
          const next = formula.nextSibling;
          if (!/^[,.;:!?)，。、；：！？）」』”]/.test(next?.data ?? ""))
            return false;
          const sign = characterBox(next, 0),
            own = box(formula);
          return sign.left < own.left && sign.top > own.bottom - 4;
        })
        .map(say),
    "a line begins with the mark of a claim": () =>
      all("a.claim-mark")
        .filter((mark) => {
          const before = document.createRange();
          before.selectNodeContents(mark.parentElement);
          before.setEndBefore(mark);
          const boxes = [...before.getClientRects()].filter(
            (b) => b.width > 1,
          );
          const own = mark.getClientRects()[0];
          return own && boxes.length && own.top > boxes.at(-1).bottom - 4;
        })
        .map((mark) => mark.parentElement.textContent.slice(-80)),
    "an equation does not begin where its box does": () =>
      equations()
        .filter(
          (node) =>
            node.scrollLeft !== 0 ||
            glyphs(node).some((one) => box(one).left < box(node).left - 1),
        )
        .map(say),
  },
  phone: {
    "a number is parted from its sign": () => {
      const parted = [];
      for (const part of all(
        ".bd-article :is(p, li, figcaption, h2, h3, .facts)",
      )) {
        if (part.querySelector("p, li") || part.closest("table")) continue;
        const nodes = texts(part);
        const line = nodes.map((text) => text.data).join("");
        const at = (place) => {
          for (const text of nodes) {
            if (place < text.length) return characterBox(text, place);
            place -= text.length;
          }
        };
        for (const { index, 0: pair } of line.matchAll(PAIR)) {
          const first = at(index),
            last = at(index + pair.length - 1);
          if (first.width && last.top > first.bottom - 2)
            parted.push(
              line.slice(Math.max(index - 20, 0), index + pair.length + 20),
            );
        }
      }
      return parted;
    },
    // A drawing is as wide as the window: the narrowest shrink it further.
    "a word of a drawing is too small to read": () =>
      all(".preact-figure svg text")
        .filter((text) => {
          if (!box(text).width || innerWidth < 360) return false;
          const { a, b } = text.getScreenCTM();
          const size = parseFloat(style(text).fontSize) * Math.hypot(a, b);
          return 0 < size && size < 10.5;
        })
        .map((text) => text.textContent),
    "the mark behind a heading takes a line of its own": () =>
      all(".bd-article :is(h1, h2, h3)")
        .filter((heading) => {
          const mark = heading.querySelector(".headerlink");
          if (!mark) return false;
          const high = heading.clientHeight;
          mark.style.display = "none";
          const alone = heading.clientHeight;
          mark.style.display = "";
          return alone !== high;
        })
        .map(say),
    "an equation ends where nothing scrolls to": () =>
      equations()
        .filter((node) => node.scrollWidth > node.clientWidth)
        .filter((node) => {
          node.scrollLeft = node.scrollWidth;
          const end = Math.max(...glyphs(node).map((one) => box(one).right));
          const lost = end > box(node).right + 1;
          node.scrollLeft = 0;
          return lost;
        })
        .map(say),
  },
  wide: {
    "a line of text is too long to read": () =>
      all(".bd-article section > p")
        .filter((p) => p.clientWidth > 42 * 16)
        .map(say),
    "TeX is to be seen": () => {
      const copy = document.body.cloneNode(true);
      for (const node of copy.querySelectorAll("pre, code, script, style"))
        node.remove();
      return (
        (document.title + " " + copy.textContent).match(
          /\\[()[\]]|\\[a-z]+\b|\$/g,
        ) ?? []
      );
    },
    "a formula is a stop of the keyboard": () =>
      all(".math, .math *")
        .filter(
          (node) =>
            node.tabIndex >= 0 &&
            !node.matches(".headerlink") &&
            node.scrollWidth <= node.clientWidth + 1,
        )
        .map(say),
    "an equation has its number twice": () => {
      const numbers = all("div.math .eqno")
        .map((one) => one.innerText.replaceAll("#", ""))
        .filter((text) => /\./.test(text));
      return [
        ...numbers.filter((one, i) => numbers.indexOf(one) !== i),
        ...all("div.math")
          .filter(
            (node) =>
              node.querySelectorAll(".eqno").length > 1 ||
              /\(\d+(\.\d+)?\)$/.test(node.querySelector("math").textContent),
          )
          .map(say),
      ];
    },
    "an equation has to scroll on a screen": () =>
      equations()
        .filter((node) => node.scrollWidth > node.clientWidth + 1)
        .map(say),
    "a chart offers no numbers": () =>
      all(".preact-figure")
        .filter(
          (figure) =>
            [...figure.querySelectorAll("svg")].some(
              (svg) =>
                svg.matches(".wide, .narrow") ||
                svg.closest(".preact-training"),
            ) && !figure.querySelector(".preact-data"),
        )
        .map(say),
    "a slider does not say what is shown beside it": () =>
      all(".bd-article [type=range]")
        .filter((slider) => {
          const shown = slider.parentElement.querySelector("output");
          return (
            slider.checkVisibility() &&
            (!shown?.textContent ||
              slider.ariaValueText !== shown.textContent.trim())
          );
        })
        .map(say),
    "a button of the header has no name": () =>
      all("[data-bs-toggle=tooltip]")
        .filter((one) => !one.title)
        .map(say),
  },
  theme: {
    "the words of a drawing are hardly to be seen": () => {
      const paper = lightness(style(document.body).backgroundColor);
      const dark = document.documentElement.dataset.theme === "dark";
      if (paper < 0.5 !== dark) return ["the page itself"];
      return all(".preact-figure svg text")
        .filter(
          (text, i) =>
            i % 10 === 0 &&
            Math.abs(lightness(style(text).fill) - paper) <= 0.4,
        )
        .map(say);
    },
  },
  paper: {
    "an equation is cut": () =>
      equations()
        .filter((node) => style(node).overflowX !== "visible")
        .map(say),
    "a table or an output is cut": () =>
      all(".bd-article :is(table, pre)")
        .filter((node) => box(node).right > innerWidth + 1)
        .map(say),
    "something is folded": () =>
      all(".admonition.dropdown")
        .filter((node) => !node.lastElementChild.checkVisibility())
        .map(say),
    "a number of a section is missing": () =>
      all("h1 .section-number")
        .filter((one) => !one.checkVisibility())
        .map(say),
    "a tab is closed": () =>
      all(".sd-tab-content")
        .filter((node) => !node.checkVisibility())
        .map(say),
    "a button is printed": () =>
      all(".toggle-button, .copybtn, .prev-next-area, .bd-header")
        .filter((node) => node.checkVisibility({ visibilityProperty: true }))
        .map(say),
    "the ground is dark, or the ink is light": () =>
      [
        ...[
          document.body,
          ...all(".bd-article, .bd-article pre, .admonition, .cell_input"),
        ].filter((node) => lightness(style(node).backgroundColor) < 0.85),
        ...all(".bd-article :is(h1, h2, p, li, pre, .highlight span)").filter(
          (node) => lightness(style(node).color) > 0.5,
        ),
      ].map(say),
  },
};

// Of these kinds of rules, those that are broken, and by what.
const broken = (...kinds) =>
  Object.fromEntries(
    kinds
      .flatMap((kind) => Object.entries(RULES[kind]))
      .map(([rule, breaks]) => [rule, breaks().slice(0, 5)])
      .filter(([, found]) => found.length),
  );
