"""Words of a PDF as they were written, to be copied and searched.

A font draws a character and the radical of the same form, say U+65B9 and
U+2F45, by one glyph. Chromium notes for a glyph the first of its characters,
which is the radical, whatever stood in the page; so a reader who searches for
the word does not find it. No text of ours has radicals, and each is replaced
here by the character that it is the form of.
"""

import re
import unicodedata

from pypdf import PdfWriter
from pypdf.generic import NameObject, StreamObject

# Unicode's EquivalentUnifiedIdeograph where compatibility says nothing.
FORMS = dict(
    zip(
        "⺠⻁⻄⻅⻆⻉⻋⻑⻓⻔⻘⻙⻚⻛⻜⻝⻢⻣⻤⻥⻦⻨⻩⻫⻬⻭⻮⻯⻰⻲",
        "民虎西见角贝车長长门青韦页风飞食马骨鬼鱼鸟麦黄斉齐歯齿竜龙亀",
        strict=True,
    )
)
RADICALS = re.compile("[\u2e80-\u2fdf\uf900-\ufaff]")
SECTION = re.compile(r"(begin(bfchar|bfrange)\n)(.*?)(?=end\2)", re.S)
CODE = r"<([0-9A-Fa-f]+)>"
CHARACTER = re.compile(rf"{CODE} {CODE}\n")
RANGE = re.compile(rf"{CODE} {CODE} {CODE}\n")


def as_written(text: str) -> str:
    r"""Return a text with each radical as the character of its form.

    Examples
    --------
    >>> as_written("\u2f45\u6cd5") == "\u65b9\u6cd5"
    True
    """
    return RADICALS.sub(
        lambda m: FORMS.get(m[0], unicodedata.normalize("NFKC", m[0])), text
    )


def restore_words(writer: PdfWriter) -> None:
    """Mend what the fonts of a PDF say their glyphs mean."""
    for font in writer._objects:
        if not isinstance(font, dict) or "/ToUnicode" not in font:
            continue
        table = font["/ToUnicode"].get_object()
        mended = restored(table.get_data().decode("latin-1"))
        stream = StreamObject()
        stream.set_data(mended.encode("latin-1"))
        font[NameObject("/ToUnicode")] = writer._add_object(
            stream.flate_encode()
        )


def restored(table: str) -> str:
    """Return a table of characters, with those that were written.

    Parameters
    ----------
    table : str
        A CMap from a font's codes to UTF-16.

    Returns
    -------
    str
        The CMap, each range spelled out: characters that follow each other
        as radicals do not as words.
    """

    def section(match: re.Match[str]) -> str:
        if match[2] == "bfchar":
            lines = CHARACTER.sub(
                lambda m: f"<{m[1]}> <{written(m[2])}>\n", match[3]
            )
        else:
            lines = RANGE.sub(spelled, match[3])
        return match[1] + lines

    return SECTION.sub(section, table)


def spelled(line: re.Match[str]) -> str:
    """Return a range of codes with each of its characters."""
    first, last = int(line[1], 16), int(line[2], 16)
    start, digits = int(line[3], 16), len(line[3])
    characters = " ".join(
        f"<{written(f'{start + i:0{digits}X}')}>"
        for i in range(last - first + 1)
    )
    return f"<{line[1]}> <{line[2]}> [{characters}]\n"


def written(code: str) -> str:
    """Return UTF-16 in hexadecimal digits, without radicals."""
    text = bytes.fromhex(code).decode("utf-16-be", "surrogatepass")
    return as_written(text).encode("utf-16-be", "surrogatepass").hex().upper()
