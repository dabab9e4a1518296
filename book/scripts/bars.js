// Rows of words, a bar below each: what a reader has guessed, and what was measured.
import { PALE, drawing, trace, write } from "./charts.js";

const WIDTH = 376,
  LEFT = 12,
  RIGHT = 20,
  LINE = 17;

// Lines that fit the chart. A no-break space holds two words together; a Chinese
// character is as wide as two letters.
export function linesOf(text) {
  const lines = [""];
  let room = 46;
  for (const piece of text.match(
    /[\u3000-\uffff]\p{P}*|[^ \u3000-\uffff]+ ?| /gu,
  )) {
    const wide = /[\u3000-\uffff]/.test(piece) ? 2 : piece.length;
    if (wide > room && lines.at(-1)) {
      lines.push("");
      room = 46;
    }
    lines[lines.length - 1] += piece;
    room -= wide;
  }
  return lines;
}

// `rows`: { text, share, color, dashes }, a share of 1 is the whole width; `marks`:
// { share, text, dashes, aside } on the axis below.
export function bars({ title = "", rows, marks = [], alt }) {
  const svg = drawing(WIDTH, 0, alt);
  const x = (share) => LEFT + (WIDTH - LEFT - RIGHT) * share;
  let y = 0;
  const say = (text) => {
    for (const line of linesOf(text)) write(svg, LEFT, (y += LINE), line);
  };
  if (title) say(title);
  const top = y + 4;
  for (const { text, share, color, dashes = "none" } of rows) {
    y += title || y ? 10 : 0;
    say(text);
    y += 11;
    trace(svg, `M${x(0)} ${y}H${x(share)}`, color, {
      ...{ "stroke-width": 7, "stroke-opacity": 0.75 },
      "stroke-dasharray": dashes,
    });
  }
  for (const { share, text, dashes = "none", aside = 0 } of marks) {
    const style = { ...PALE, "stroke-dasharray": dashes };
    trace(svg, `M${x(share)} ${top}V${y + 6}`, "#808080", style);
    const anchor = { 0: "start", 1: "end" }[share] ?? "middle";
    write(svg, x(share) + aside, y + 22, text, anchor);
  }
  const height = y + (marks.length ? 28 : 8);
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
  return svg;
}
