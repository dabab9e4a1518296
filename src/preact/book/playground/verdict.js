// What is said of two networks: in what they differ, which is ahead, and why.
import { fill, numberText } from "#scripts/charts.js";

export const written = (value) =>
  Number.isFinite(value) ? numberText(value) : "–";
export const digits = (value) =>
  Number.isFinite(value) ? value.toFixed(value < 10 ? 1 : 0) : "–";
const CHANCE = Math.log(10); // loss of who guesses one of ten digits blindly

const FIELDS = ["row", "shortcut", "tail", "units", "lr", "seed"];

// What a reader is told of a setting.
const told = (words, arm) => ({
  ...arm,
  row: arm.name,
  shortcut: `× ${arm.shortcut}`,
  tail: arm.tail.join(" ") || words.none,
});

// Names of the settings in which two networks differ.
export function differences(arms) {
  const [a, b] = arms;
  return FIELDS.filter((key) => String(a[key]) !== String(b[key]));
}

export function compared(words, arms) {
  const [a, b] = arms.map((arm) => told(words, arm));
  const list = differences(arms).map((key) => {
    const [label, of] = [words[key], { a: a[key], b: b[key] }];
    return fill(words.difference, { label, ...of });
  });
  const said = list.length
    ? fill(words.differ, { list: list.join(words.semicolon) })
    : words.equal;
  return a.row === b.row ? fill(words.both, { said, row: a.row }) : said;
}

// How many of the test's digits lie between two networks, and how many the choice of
// these digits may make: two standard errors of the difference.
function gap(runs, unseen) {
  const [a, b] = runs;
  const variance = ({ test }) => (test * (1 - test)) / unseen;
  const error = Math.sqrt(variance(a) + variance(b));
  return { apart: unseen * (a.test - b.test), doubtful: unseen * 2 * error };
}

// The better arm, or "same" within what is doubtful.
export function ahead(runs, unseen) {
  const { apart, doubtful } = gap(runs, unseen);
  if (Math.abs(apart) <= doubtful) return "same";
  return apart < 0 ? "a" : "b";
}

// How the races of these settings ended; of one alone, that it is one.
export function tally(words, ends) {
  if (ends.length < 2) return words.one_race;
  const count = (end) => ends.filter((one) => one === end).length;
  const [a, b, same] = ["a", "b", "same"].map(count);
  return fill(words.tally, { races: ends.length, a, b, same });
}

// Where chance alone differs: the errors by seed. Two of them the verdict has told.
export function errors(words, bySeed) {
  if (bySeed.length < 3) return "";
  const all = bySeed.map(({ test }) => digits(100 * test)).join(words.list);
  const seeds = bySeed.map(({ seed }) => seed).join(words.list);
  return fill(words.seeds, { seeds, errors: all });
}

export function verdict(words, { runs, unseen, steps, guess, found }) {
  const [a, b] = runs.map(({ test }) =>
    fill(words.percent, { value: digits(100 * test) }),
  );
  let said = fill(words.done, { steps, unseen, a, b });
  const better = ahead(runs, unseen);
  // equal networks are not close but the same, which their reason says
  if (better === "same" && found.length) {
    const { apart, doubtful } = gap(runs, unseen);
    const least = Math.floor(doubtful) + 1;
    const count = Math.round(Math.abs(apart));
    const close = count === 1 ? words.close_one : words.close;
    said = fill(close, { said, apart: count, least });
  }
  if (guess === better) said = fill(words.hit, { said });
  else if (guess) said = fill(words.miss, { said, guess: words[guess] });
  for (const [i, { loss }] of runs.entries()) {
    if (Number.isFinite(loss.at(-1))) continue;
    said = fill(words.diverged, { said, name: words["ab"[i]] });
  }
  return said;
}

// One difference has a reason, which the numbers of both show; of several nobody can
// say which it was.
export function reason(words, arms, runs, unseen) {
  const found = differences(arms);
  if (!found.length) return words.why_equal;
  if (found.length > 1) {
    const list = found.map((key) => words[key]).join(words.list);
    const isClose = ahead(runs, unseen) === "same";
    return fill(isClose ? words.why_cancel : words.why_several, { list });
  }
  const numbers = { chance: written(CHANCE) };
  for (const [i, name] of ["a", "b"].entries()) {
    const { loss, open } = runs[i];
    numbers[`${name}_loss`] = written(loss[0]);
    numbers[`${name}_early`] = written(open[0].at(-1));
    numbers[`${name}_open`] = written(open.at(-1).at(-1));
    const factor = Number(arms[i].shortcut) ** Number(arms[i].units);
    numbers[`${name}_factor`] = written(factor);
  }
  const [one] = found;
  if (one === "lr" && isAlike(runs)) return words.why_lr_alike;
  if (one === "units" && shares(runs).every((share) => share === 1)) {
    return fill(words.why_units_open, numbers);
  }
  const said = fill(words[`why_${one}`], numbers);
  return one === "row" ? fill(words[paths(runs, unseen)], { said }) : said;
}

const shares = (runs) => runs.map(({ open }) => open.at(-1).at(-1));
function isAlike(runs) {
  const [a, b] = shares(runs);
  return Math.abs(a - b) < 0.01;
}

// Whether the open paths speak for the network that is ahead.
function paths(runs, unseen) {
  const [a, b] = shares(runs);
  const better = ahead(runs, unseen);
  const isClose = better === "same";
  if (isAlike(runs)) return isClose ? "paths_equal" : "paths_alike";
  if (isClose) return "paths_unneeded";
  return better === (a > b ? "a" : "b") ? "paths_agree" : "paths_disagree";
}

// Whether all that was recorded of the network ahead is worse than all of the other.
export function isOpposed(better, records) {
  const [a, b] = records;
  if (better === "same" || !a || !b) return false;
  const [[, least], [, , most]] = better === "a" ? [a, b] : [b, a];
  return least > most;
}
