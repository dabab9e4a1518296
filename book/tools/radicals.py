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
# Of a CMap from a font's codes to UTF-16: codes that follow each other as
# radicals do, and one code.
RANGE = re.compile(r"<(\w+)> <(\w+)> <(\w+)>$", re.M)
SINGLE = re.compile(r"^(<\w+>) <(\w+)>$", re.M)


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
        if isinstance(font, dict) and "/ToUnicode" in font:
            table = font["/ToUnicode"].get_object()
            text = RANGE.sub(spelled, table.get_data().decode("latin-1"))
            text = SINGLE.sub(lambda m: f"{m[1]} <{written(m[2])}>", text)
            stream = StreamObject()
            stream.set_data(text.encode("latin-1"))
            font[NameObject("/ToUnicode")] = writer._add_object(
                stream.flate_encode()
            )


def spelled(line: re.Match[str]) -> str:
    """Return a range of codes with each of its characters."""
    first, last, start = (int(code, 16) for code in line.groups())
    codes = (start + i for i in range(last - first + 1))
    characters = " ".join(f"<{written(f'{code:04X}')}>" for code in codes)
    return f"<{line[1]}> <{line[2]}> [{characters}]"


def written(code: str) -> str:
    """Return UTF-16 in hexadecimal digits, without radicals."""
    text = bytes.fromhex(code).decode("utf-16-be", "surrogatepass")
    return as_written(text).encode("utf-16-be", "surrogatepass").hex().upper()
