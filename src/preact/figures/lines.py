"""Lines of words: how wide they are, joined, and broken for their room."""

import re
from unicodedata import east_asian_width

NAME = 20  # letters in a line of a name; half as many Chinese characters
PIECE = re.compile(
    r"[（「“]?(?:[\u3000-\u9fff\uff00-\uffef]"
    r"|[!-~\xa0-\u2fff]+(?: / [!-~\xa0-\u2fff]+)* ?)| |."  # a fraction: whole
)
AFTER_CHINESE = re.compile("(?<=[、-～])\n")
BRACKET = re.compile(r"(?<=[^\n])（")
CLOSING = "，、。：；）」”"


def into_lines(name: str, most: int = NAME) -> str:
    """Break a name between words, or between Chinese characters.

    What Chinese brackets hold is a line of its own, if there are several.
    Lines that are too long are broken anew, and into even ones.
    """
    if max(map(width_of, name.split("\n"))) > most:
        name = BRACKET.sub("\n（", on_one_line(name), count=1)
    return "\n".join(
        piece for line in name.split("\n") for piece in _even(line, most)
    )


def on_one_line(name: str) -> str:
    """Join the lines of a name; Chinese ones without a space."""
    return AFTER_CHINESE.sub("", name).replace("\n", " ")


def _even(line: str, most: int) -> list[str]:
    """Break a line into as few as can be, the longest as short as can be."""
    fewest = _greedy(line, most)
    for less in range(-(-width_of(line) // len(fewest)), most):
        lines = _greedy(line, less)
        if len(lines) == len(fewest):
            return lines
    return fewest


def _greedy(line: str, most: int) -> list[str]:
    """Put what fits on each line; what closes hangs over its end."""
    lines, room = [""], most
    for piece in PIECE.findall(line):
        fits = width_of(piece.rstrip()) <= room
        if not fits and lines[-1] and piece not in CLOSING:
            lines.append("")
            room = most
        lines[-1] += piece
        room -= width_of(piece)
    return [part.strip() for part in lines]


def width_of(words: str) -> int:
    """Return how many letters words are wide: a Chinese character, two."""
    return sum(1 + (east_asian_width(c) in "WF") for c in words)
