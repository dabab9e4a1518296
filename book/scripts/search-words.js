// Words of a text and of a query, written the same way: lower case, Simplified
// characters, singular; Chinese by pairs of characters. Each knows where it stood.
// Another spelling is near enough to be found.
const GREEK =
  "alpha α beta β gamma γ delta δ epsilon ε eta η theta θ lambda λ " +
  "mu μ pi π sigma σ phi φ";
const letters = Object.fromEntries(
  GREEK.match(/\w+ ./gu).map((pair) => pair.split(" ")),
);
// An equation by its number, Chinese, or a word: bn_backward, 2^L, 3.2.
const WORD = new RegExp(
  [
    String.raw`(?:(?:eqs?\b\.?|equations?|公?式)\s*)?\((\d+(?:\.\d+)?)\)`,
    String.raw`(?:\b(?:eqs?\b\.?|equations?)|公?式)\s*(\d+(?:\.\d+)?)(?![\d.]*\w)`,
    String.raw`([\u3400-\u9fff]+)`,
    String.raw`(\d+(?:\.\d+)+|[\p{L}\p{N}]+(?:[-_^‐][\p{L}\p{N}]+)*)`,
  ].join("|"),
  "gu",
);
// British and American, in texts and queries alike: what is no word that way,
// as "noize" for "noise", is the same in both.
const SPELLINGS = [
  [/is(e[drs]?|ing|ation)/, "iz$1"],
  [/ys(e[drs]?|ing)$/, "yz$1"],
  [/(?<=[a-z]{3})our/, "or"],
  [/tre(s?)$/, "ter$1"],
  [/ll(ed|ing|er)$/, "l$1"],
  [/^grey/, "gray"],
  [/^(append|ind|matr|vert)(?:ex|ices|ix)$/, "$1ix"],
];
let folds = new Map();

// Same length as the text, so that places stay.
export function fold(text) {
  return text.replace(/[\u3400-\u9fff\uff01-\uff5eA-Z\u0391-\u03a9]/g, (c) =>
    c >= "\uff01"
      ? String.fromCharCode(c.charCodeAt(0) - 0xfee0).toLowerCase()
      : (folds.get(c) ?? c.toLowerCase()),
  );
}

function stem(word) {
  if (letters[word]) return letters[word];
  if (!/^[a-z]{4,}$/.test(word)) return word;
  for (const [british, american] of SPELLINGS)
    word = word.replace(british, american);
  return /(?:ss|us|is)$/.test(word)
    ? word
    : word
        .replace(/ies$/, "y")
        .replace(/(ch|sh|x|ss)es$/, "$1")
        .replace(/s$/, "");
}

// A word of several parts is found by all of it and by each part.
function* parts(word, start) {
  const whole = word.replace(/[-‐]/g, "");
  const pieces = [...word.matchAll(/[^-‐_^]+/g)];
  yield { word: stem(whole), start, end: start + word.length };
  if (pieces.length < 2) return;
  for (const piece of pieces) {
    if (piece[0].length < 2 && word.includes("^")) continue;
    const from = start + piece.index;
    yield {
      word: stem(piece[0]),
      start: from,
      end: from + piece[0].length,
    };
  }
}

export function* words(text) {
  for (const found of fold(text).matchAll(WORD)) {
    const [all, numbered, asked, , latin] = found;
    const start = found.index,
      end = start + all.length;
    if (numbered || asked)
      yield { word: `(${numbered || asked})`, start, end };
    else if (latin) yield* parts(latin, start);
    else if (all.length === 1) yield { word: all, start, end };
    else {
      for (let i = 0; i + 1 < all.length; i++) {
        const from = start + i;
        yield { word: all.slice(i, i + 2), start: from, end: from + 2 };
      }
    }
  }
}

// Words of a query with hyphens where they are one word to somebody: "mini batch"
// and "minibatch" become "mini-batch". `known` are the words of all texts; `said`
// tells in how many of them two words stand side by side.
export function hyphenate(query, known, said) {
  const pairs = fold(query).replace(
    /(?<![\p{L}\p{N}_-])([a-z]{2,}) (?=([a-z]{2,})(?![\p{L}\p{N}_-]))/gu,
    (all, one, other) => (known.has(stem(one + other)) ? `${one}-` : all),
  );
  return pairs.replace(
    /(?<![\p{L}\p{N}_-])[a-z]{5,}(?![\p{L}\p{N}_-])/gu,
    (word) => (known.has(stem(word)) ? word : parted(word, known, said)),
  );
}

// A word that no text has, as two that some text has one after the other.
function parted(word, known, said) {
  let best = word,
    most = 0;
  for (let at = 2; at <= word.length - 2; at++) {
    const two = [word.slice(0, at), word.slice(at)];
    if (!two.every((one) => known.has(stem(one)))) continue;
    const count = said(two.join("-"));
    if (count > most) [best, most] = [two.join("-"), count];
  }
  return best;
}

// Finds a word of several parts with hyphens, with spaces, or in one.
export const anySpelling = (word, after = "") =>
  new RegExp(
    `(?<![a-z0-9])${word.split(/[-‐]/).join("[-‐ \\n]?")}s?(?![a-z0-9])${after}`,
  );

export function setFolds(pairs) {
  folds = new Map(
    Array.from({ length: pairs.length / 2 }, (_, i) => [
      pairs[2 * i],
      pairs[2 * i + 1],
    ]),
  );
}
