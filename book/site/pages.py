"""What every page carries: its language, its twins, its launch buttons."""

import os
import tomllib
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from book.site.head import head_of_page
from book.site.words import WORDS, language_of
from book.tools import ROOT
from preact.strings import EDITIONS

PLACEHOLDER = "OWNER"
NOTEBOOKS = "_notebooks"  # of an edition, beside its pages
# How the first cell of a notebook gets the package, inside a JSON string.
INSTALL = r"%pip install -q \"preact @ git+https://github.com/{}/preact\""
ASK = "raise SystemExit('install the package \\\"preact\\\" first')"

# By the class of their place on a page. Classic scripts, in this order: a page
# that is opened as a file loads no modules.
ENGINE = ("engine/network.js", "engine/training.js", "charts.js")
SCRIPTS = {
    "preact-stack": (*ENGINE, "stack.js"),
    "preact-growth": (*ENGINE, "stack.js", "growth.js"),
    "preact-predict": ("charts.js", "predict.js"),
    "preact-answer": ("charts.js", "answer.js"),
    "preact-runs": ("charts.js", "runs.js"),
    "preact-planner": ("charts.js", "planner.js"),
    "preact-costs": ("charts.js", "costs.js"),
    "preact-builder": ("charts.js", "builder.js"),
    "preact-lab": (*ENGINE, "stack.js", "predict.js", "lab.js"),
    "preact-ranking": ("charts.js", "ranking.js", "table1.js"),
    "preact-race": ("engine/digits.js", *ENGINE, "ranking.js", "race.js"),
}


def dress_page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any
) -> None:
    """Language, switch to the same page, alternates, launch buttons."""
    language = context["language"] = language_of(app)
    if "header_buttons" not in context:
        return
    for place, scripts in SCRIPTS.items():
        if place in context.get("body", ""):
            for script in scripts:
                app.add_js_file(script, loading_method="defer")
    target = page if tree is not None or page == "search" else "index"
    up = "../" * (page.count("/") + 1)
    context["languages"] = [
        (code, edition["name"], f"{up}{code}/{target}.html")
        for code, edition in EDITIONS.items()
    ]
    base = f"{site}/" if (site := site_url()) else up
    context["metatags"] = context.get("metatags", "") + head_of_page(
        language, target, base, context.get("title", ""), tree
    )
    is_notebook = app.env.metadata.get(page, {}).get("kernelspec")
    if is_notebook:
        offer_notebook(context["header_buttons"], page)
    if is_notebook and PLACEHOLDER not in repository():
        buttons = launch_buttons(language, page)
        context["header_buttons"].insert(0, buttons)


def offer_notebook(header: list[dict[str, Any]], page: str) -> None:
    """Let the download menu hold the page's notebook, not its source."""
    for group in header:
        for button in group.get("buttons", ()):
            if button.get("text") == ".md":
                button["text"] = ".ipynb"
                button["url"] = f"{NOTEBOOKS}/{page}.ipynb"


def launch_buttons(language: str, page: str) -> dict[str, Any]:
    """Colab and Binder, opening the edition's own notebook."""
    branch = os.environ.get("GITHUB_REF_NAME", "main")
    notebook = f"notebooks/{language}/{page}.ipynb"
    links = {
        "Colab": "https://colab.research.google.com/github/"
        f"{repository()}/blob/{branch}/{notebook}",
        "Binder": f"https://mybinder.org/v2/gh/{repository()}/{branch}"
        f"?urlpath=lab/tree/{notebook}",
    }
    icons = {"Colab": "logo_colab.png", "Binder": "logo_binder.svg"}
    return {
        "type": "group",
        "icon": "fas fa-rocket",
        "label": "launch-buttons",
        "tooltip": WORDS[language]["@launch"],
        "buttons": [
            {
                "type": "link",
                "text": name,
                "icon": f"_static/images/{icons[name]}",
                "label": name.lower(),
                "tooltip": name,
                "url": url,
            }
            for name, url in links.items()
        ],
    }


def copy_notebooks(language: str, folder: Path) -> None:
    """Copy an edition's notebooks to its pages.

    Their first cell installs the package from its repository. Where that is
    not known, it asks the reader to install it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for notebook in (ROOT / "notebooks" / language).glob("*.ipynb"):
        text = notebook.read_text("utf-8")
        if PLACEHOLDER in repository():
            text = text.replace(INSTALL.format(PLACEHOLDER), ASK)
        else:
            text = text.replace(f"/{PLACEHOLDER}/preact", f"/{repository()}")
        (folder / notebook.name).write_text(text, "utf-8")


def repository() -> str:
    """Return owner/name: from CI's environment, else from pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    url: str = project["project"]["urls"]["Repository"]
    name = url.removeprefix("https://github.com/")
    return os.environ.get("GITHUB_REPOSITORY", name)


def site_url() -> str:
    """Return where the site will be served, if the environment says."""
    return os.environ.get("SITE_URL", "").rstrip("/")
