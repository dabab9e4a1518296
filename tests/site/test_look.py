"""How a page looks, as far as a number can say it."""

from built import EVERY_LANGUAGE, load

PAGE = "/{}/02-signal.html"
LOADED = """(name) => [...document.fonts].filter((face) =>
  face.status == "loaded" && face.family.includes(name)).length"""


@EVERY_LANGUAGE
def test_a_page_loads_the_faces_that_it_is_set_in_and_no_other(
    cold_page, site, language
):
    page = cold_page()
    load(page, site + PAGE.format(language))
    serif = 3 if language == "en" else 0
    asked = [url for url in page.requested if "source-serif-4/" in url]
    assert len(asked) == serif
    assert page.evaluate(LOADED, "Source Serif 4") == serif
    assert page.evaluate(LOADED, "Book Math") == 1


# ------------------------------------------------------------------ formulas
def test_without_scripts_formulas_are_drawn_and_boxes_are_open(open_page):
    page = open_page(PAGE.format("en"), java_script_enabled=False)
    formula = page.locator("section > p .math:visible math").first
    box = formula.bounding_box()
    assert box["width"] > 3
    assert box["height"] > 5
    last = page.locator(".admonition.dropdown > :last-child").first
    assert last.is_visible()
