"""A PDF's words are those of the page, glyph by glyph."""

import pytest

from book.tools.radicals import RADICALS, as_written, restored

HEAD = "1 begincodespacerange\n<00> <FF>\nendcodespacerange\n"


def test_a_radical_becomes_the_word_of_its_form():
    table = f"{HEAD}2 beginbfchar\n<08> <2F45>\n<2F> <6027>\nendbfchar\n"
    assert restored(table) == table.replace("2F45", "65B9")


def test_radicals_in_a_row_become_words_that_are_not():
    table = f"{HEAD}1 beginbfrange\n<08> <0A> <2F00>\nendbfrange\n"
    mended = "<08> <0A> [<4E00> <4E28> <4E36>]"
    assert restored(table) == table.replace("<08> <0A> <2F00>", mended)


def test_other_tables_mean_what_they_meant():
    table = (
        f"{HEAD}1 beginbfrange\n<0041> <0043> <0061>\nendbfrange\n"
        "2 beginbfchar\n<01> <D835DC65>\n<02> <00660069>\nendbfchar\n"
    )
    mended = "<0041> <0043> [<0061> <0062> <0063>]"
    assert restored(table) == table.replace("<0041> <0043> <0061>", mended)


@pytest.mark.parametrize(
    ("form", "word"),
    [(0x2F00, "\u4e00"), (0x2EC5, "\u89c1"), (0x2ED4, "\u95e8")],
)
def test_simplified_radicals_have_their_words_too(form, word):
    assert RADICALS.fullmatch(chr(form))
    assert as_written(chr(form)) == word
