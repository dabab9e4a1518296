"""What every page carries: its language, its twins, its launch buttons."""

import json
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

import preact
from book.site.figures import words_of_numbers
from book.site.head import head_of_page
from book.site.offline import PLACE
from book.site.parallel import FOLDER as PARALLEL
from book.site.scripts import explorers
from book.site.words import WORDS, language_of
from book.tools import ROOT
from book.tools.notebooks import notebook
from book.tools.places import (
    GITHUB,
    PUBLISHED,
    branch,
    last_changed,
    package_address,
    repository,
    site_url,
)
from preact.strings import EDITIONS, ORIGINAL, TRANSLATIONS

NOTEBOOKS = "_notebooks"  # of an edition, beside its pages

# Faces of a page's first lines: where one is not there in time, text is set
# twice.
ENGLISH_FACES = tuple(
    f"source-serif-4/files/source-serif-4-latin-{weight}-normal.woff2"
    for weight in (400, 600)
)
MATH_FACE = "math/book-math.woff2"


class LabelFirst(SphinxTransform):
    """Put the id of a section's label before the one made from its title.

    A link by a title would lead nowhere in another edition.
    """

    default_priority = 800  # the labels have reached their sections

    def apply(self, **_: Any) -> None:
        labels = {
            self.document.nameids.get(name)
            for name, explicit in self.document.nametypes.items()
            if explicit
        }
        for section in self.document.findall(nodes.section):
            section["ids"].sort(key=lambda name: name not in labels)


def dress_page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any
) -> None:
    """Language, switch to the same page, alternates, launch buttons."""
    language = context["language"] = language_of(app)
    if "header_buttons" not in context:
        return
    context["explorers"] = explorers(context.get("body", ""))
    context["words_of_numbers"] = json.dumps(words_of_numbers(language))
    context["version_of_assets"] = app.config.page_parts[:8]
    texts = [s.attributes.get("body", "") for s in context["script_files"]]
    context["said"] = [  # by extensions, for their scripts
        text for text in dict.fromkeys(texts) if "toggle" in text
    ]
    target = page if tree is not None or page == "search" else "index"
    up = "../" * (page.count("/") + 1)
    context["faces"] = [
        f"{up}_vendor/{face}" for face in faces(language, context)
    ]
    context["languages"] = [
        (code, edition["name"], f"{up}{code}/{target}.html")
        for code, edition in EDITIONS.items()
    ]
    context["parallel"] = parallel_words(language, page)
    base = f"{site}/" if (site := site_url()) else up
    context["metatags"] = context.get("metatags", "") + head_of_page(
        language, target, base, context.get("title", ""), tree
    )
    is_notebook = app.env.metadata.get(page, {}).get("kernelspec")
    if is_notebook:
        offer_notebook(context["header_buttons"], page)
    if is_notebook and repository():
        buttons = launch_buttons(language, page)
        context["header_buttons"].insert(0, buttons)


def faces(language: str, context: dict[str, Any]) -> list[str]:
    """Return the faces that a page's first lines are set in."""
    asked = [*ENGLISH_FACES] if language == ORIGINAL else []
    return [*asked, MATH_FACE] if "<math" in context.get("body", "") else asked


def parallel_words(language: str, page: str) -> dict[str, Any]:
    """Return what parallel reading needs on a page; nothing elsewhere."""
    if not (ROOT / "book" / language / f"{page}.md").exists():
        return {}
    is_original = language == ORIGINAL
    return {
        "original": ORIGINAL,
        "others": [
            (code, EDITIONS[code]["name"])
            for code in (TRANSLATIONS if is_original else [ORIGINAL])
        ],
        "folder": f"../{PARALLEL}/{{}}/{page}.js",
        "label": WORDS[language]["@parallel-label"],
        "failed": WORDS[language]["@parallel-failed"],
    }


def offer_notebook(header: list[dict[str, Any]], page: str) -> None:
    """Let the download menu hold the page's notebook, not its source."""
    for group in header:
        for button in group.get("buttons", ()):
            if button.get("text") == ".md":
                button["text"] = ".ipynb"
                button["url"] = f"{NOTEBOOKS}/{page}.ipynb"


def launch_buttons(language: str, page: str) -> dict[str, Any]:
    """Colab and Binder, opening the edition's own notebook.

    Colab opens what the site delivers, whose first cell gets the package;
    Binder has the package.
    """
    home = "https://colab.research.google.com/github"
    colab = f"{home}/{repository()}/blob/{PUBLISHED}/{language}/{page}.ipynb"
    home = f"https://mybinder.org/v2/gh/{repository()}/{branch()}"
    binder = f"{home}?urlpath=lab/tree/notebooks/{language}/{page}.ipynb"
    words = WORDS[language]
    return {
        "type": "group",
        "icon": "fas fa-rocket",
        "label": "launch-buttons",
        "tooltip": words["@launch"],
        "buttons": [
            {
                "type": "link",
                "text": name,
                "icon": f"_static/images/{icon}",
                "label": name.lower(),
                "tooltip": words["@open-in"].format(name),
                "url": url,
            }
            for name, icon, url in (
                ("Colab", "logo_colab.png", colab),
                ("Binder", "logo_binder.svg", binder),
            )
        ],
    }


def source_options(language: str) -> dict[str, Any]:
    """Return the theme's options for links to edit a page, or to report."""
    if not (name := repository()):
        return {}
    return {
        "repository_url": GITHUB + name,
        "repository_branch": branch(),
        "path_to_docs": f"book/{language}",
        "use_repository_button": True,
        "use_edit_page_button": True,
        "use_issues_button": True,
    }


def state_of_book(language: str) -> str:
    """Return the version and the day of the last change, for the footer."""
    words = WORDS[language]
    parts = [words["@version"].format(preact.__version__)]
    if day := last_changed():
        parts.append(words["@changed"].format(f"<time>{day}</time>"))
    return f"<p>{' · '.join(parts)}</p>{PLACE}"


def write_notebooks(language: str, folder: Path) -> None:
    """Write an edition's notebooks for readers, beside its pages.

    Their first cell gets the package; they have the outputs of their cells,
    and the numbers in their text are those that their cells have printed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted((ROOT / "book" / language).glob("*.md")):
        if "{code-cell}" in path.read_text("utf-8"):
            text = notebook(
                path, package_address(), site_url(), with_outputs=True
            )
            (folder / f"{path.stem}.ipynb").write_text(text, "utf-8")
