// The ranking of sections: MiniSearch (BM25+) over titles, numbers of equations,
// names in code and text. What has the query in its title, what holds more of its
// words, and the chapter that defines a term come first; what is no chapter, last.
import MiniSearch from "minisearch";
import {
  anySpelling,
  fold,
  hyphenate,
  setFolds,
  words,
} from "./search-words.js";

const BOOST = { title: 3, defines: 3, equations: 6, code: 0.7, text: 1 };
const SYNONYM = 0.7; // of the weight of a word that was typed
const HOME = 1.6,
  DEFINED = 2,
  TITLE = 1.6,
  PHRASE = 1.3,
  ENTRY = 1e3, // of the glossary, for the term that is asked for
  COMPOUND = 8,
  ASIDE = 0.4;
const SNIPPET = 150; // characters; a Chinese one counts twice
const HAN = /[\u3400-\u9fff]/;
const STOP = new Set(
  (
    "a an and are as at be by do does for from how i in is it of on " +
    "or that the this to was what when where which why with 的 是"
  ).split(" "),
);
let engine, sections, terms, known;

const joined = (text) => ` ${[...words(text)].map((w) => w.word).join(" ")} `;

// Without "what is the", and pre-activation as preactivation.
const bare = (text) =>
  [...words(text.replace(/[-‐]/g, ""))]
    .map(({ word }) => word)
    .filter((word) => !STOP.has(word))
    .join(" ");

// Terms of the glossary that are in the query, however they are called.
function termsIn(query) {
  const text = joined(query);
  return terms.filter((term) =>
    term.asked.some((name) => text.includes(name)),
  );
}

// Of a chapter's sections the one that defines a term: the first to say it, in
// its title or else below the chapter's head.
function defining(name, [head, ...rest]) {
  const isExercise = ({ place }) => /-\d+$/.test(place);
  const parts = rest.filter((one) => one.weight === 1 && !isExercise(one));
  return (
    parts.find(({ folded }) => folded.title.includes(name)) ??
    parts.find(({ folded }) => folded.text.includes(name)) ??
    head
  );
}

export function read({ pages, sections: rows, terms: glossary, folds }) {
  setFolds(folds);
  sections = rows.map(([page, place, title, text, equations, code], id) => ({
    id,
    page,
    place,
    title: title || pages[page][1],
    text,
    defines: [],
    equations,
    code,
    chapter: pages[page][1],
    file: pages[page][0] + ".html",
    weight: !pages[page][2] || place.endsWith("-references") ? ASIDE : 1,
    folded: { title: fold(title), text: fold(text) },
  }));
  terms = glossary.map(([own, asked, home]) => ({
    own,
    home,
    asked: asked
      .filter((name) => !HAN.test(name) || name.length > 1)
      .map(joined),
  }));
  for (const { own, home } of terms) {
    const section = defining(
      fold(own),
      sections.filter(({ page }) => page === home),
    );
    if (section) section.defines.push(own);
  }
  for (const section of sections) {
    section.defined = new Set(section.defines.map(fold));
    section.defines = section.defines.join(" · ");
  }
  known = new Set();
  engine = new MiniSearch({
    fields: Object.keys(BOOST),
    tokenize: (text) => {
      const found = [...words(text)].map(({ word }) => word);
      for (const word of found) known.add(word);
      return found;
    },
    processTerm: (word) => word,
    searchOptions: {
      boost: BOOST,
      prefix: (word) => word.length > 2 && !word.startsWith("("),
      fuzzy: (word) => (/^[a-z]{6,}$/.test(word) ? 0.2 : false),
      weights: { prefix: 0.5, fuzzy: 0.25 },
    },
  });
  engine.addAll(sections);
}

// A preposition and what it goes with, as "in place", not the same before an "of".
const spellingOf = (word) =>
  anySpelling(word, STOP.has(word.split("-")[0]) ? "(?! of)" : "");

const has = ({ folded }, spelling) =>
  spelling.test(folded.title) || spelling.test(folded.text);

// In how many sections a word with hyphens stands, however it is written.
function said(word) {
  const spelling = anySpelling(word);
  return sections.filter((section) => has(section, spelling)).length;
}

// The sections for a query, best first, with the words that were found in each.
export function find(wanted) {
  const query = hyphenate(wanted, known, said);
  const asked = [...new Set([...words(query)].map((found) => found.word))];
  const content = asked.filter((word) => !STOP.has(word));
  const typed = content.length ? content : asked;
  if (!typed.length) return [];
  const compounds = query.match(/[a-z]+(?:[-‐][a-z]+)+/g) ?? [];
  const plain = fold(query).trim(); // of which words are left out: "in place"
  if (content.length === 1 && /^[a-z]+ [a-z]+$/.test(plain))
    compounds.push(plain.replace(" ", "-"));
  const spellings = compounds.map(spellingOf);
  const named = termsIn(query);
  const homes = new Set(named.map((term) => term.home));
  // the one that the query is, and nothing else
  const meant = named.filter((term) => term.asked.includes(joined(query)));
  const literally = bare(query);
  const synonyms = named
    .map((term) => term.own)
    .filter((own) => !fold(query).includes(fold(own)));
  const hits = engine.search({
    queries: [
      ...typed.map((word, i) => ({
        queries: [word],
        tokenize: (text) => [text],
        prefix: HAN.test(word)
          ? word.length === 1
          : word.length > (i === typed.length - 1 ? 2 : 4),
      })),
      ...synonyms.map((own) => ({
        queries: [own],
        boost: scaled(SYNONYM),
        prefix: false,
        fuzzy: false,
      })),
    ],
  });
  const phrases = [query, ...synonyms].map((text) => fold(text).trim());
  return hits
    .map((hit) => {
      const section = sections[hit.id];
      const had = synonyms.length
        ? typed.length
        : typed.filter((word) => hit.queryTerms.includes(word)).length;
      let score = hit.score * section.weight * (had / typed.length) ** 2;
      if (phrases.some((text) => section.folded.title.includes(text)))
        score *= TITLE;
      if (spellings.some((one) => has(section, one))) score *= COMPOUND;
      if (homes.has(section.page)) score *= HOME;
      if (phrases.some((text) => section.defined.has(text))) score *= DEFINED;
      if (typed.length > 1 && section.folded.text.includes(phrases[0]))
        score *= PHRASE;
      if (meant.some(({ home }) => home === section.page)) score *= HOME;
      if (meant.some(({ own }) => section.defined.has(fold(own))))
        score *= DEFINED;
      if (
        section.place.startsWith("term-") &&
        bare(section.title) === literally
      )
        score *= ENTRY;
      return { section, score, found: new Set(hit.terms) };
    })
    .sort((a, b) => b.score - a.score);
}

const scaled = (factor) =>
  Object.fromEntries(
    Object.entries(BOOST).map(([field, boost]) => [field, boost * factor]),
  );

// Where the words of a result stand in a text: [start, end) each.
export function places(text, found) {
  const ranges = [];
  for (const { word, start, end } of words(text)) {
    if (!found.has(word) || STOP.has(word)) continue;
    const last = ranges.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else ranges.push([start, end]);
  }
  return ranges;
}

const width = (text) =>
  [...text].reduce((sum, c) => sum + (HAN.test(c) ? 2 : 1), 0);

// The stretch of a text with the most of what was found.
export function snippet(text, ranges) {
  const size = Math.round((SNIPPET * text.length) / Math.max(1, width(text)));
  let best = 0,
    most = -1;
  for (const [start] of ranges) {
    const inside = ranges.filter(
      ([a, b]) => a >= start && b <= start + size * 0.8,
    );
    const rich =
      new Set(inside.map(([a, b]) => fold(text.slice(a, b)))).size +
      inside.length / 100;
    if (rich > most) [best, most] = [start, rich];
  }
  let from = Math.max(0, best - Math.round(size * 0.2));
  if (from)
    from = Math.max(
      from,
      text.slice(0, best).lastIndexOf(" ", best - 1) > from
        ? text.indexOf(" ", from) + 1
        : from,
    );
  return [from, Math.min(text.length, from + size)];
}
