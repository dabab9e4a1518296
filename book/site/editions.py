"""From one build to three: configuration, child builds, the whole site.

Jupyter Book starts Sphinx once, at the root. `start` points that build at the
English edition; the others are built beside it in the same way, and `finish`
lays all three side by side: `_build/html/{en,zh-Hans,zh-Hant}/`, with a front
page that follows the browser's language. Every edition has its own language
setting, so numbering, search and theme strings are right in each.

With EDITION in the environment that one alone is built; what else the site
has stays as it was.
"""

import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError

from book.site.assets import copy_vendored, finish_pages, write_assets
from book.site.offline import write_zip
from book.site.pages import (
    NOTEBOOKS,
    source_options,
    state_of_book,
    write_notebooks,
)
from book.site.parallel import FOLDER as PARALLEL
from book.site.parallel import pair_editions
from book.site.scripts import bundle_scripts
from book.site.search import write_index
from book.site.words import WORDS, language_of
from book.tools import ROOT
from book.tools.parity import differences
from book.tools.places import WHEELS, site_url
from book.tools.wheel import build_wheel
from preact.strings import EDITIONS, LANGUAGES, ORIGINAL, TRANSLATIONS

EDITION = os.environ.get("EDITION", "")
TOC = (ROOT / "_toc.yml").as_posix()


def start(app: Sphinx) -> bool:
    """Point a build of the root, `jupyter-book build .`, at the original.

    Return whether it is one, and so makes the whole site.
    """
    path: Any = type(app.srcdir)
    root = Path(app.srcdir) == ROOT
    if root:
        language = EDITION or ORIGINAL
        if language not in LANGUAGES:
            raise ExtensionError(
                f"EDITION must be one of {', '.join(LANGUAGES)}; "
                f"got {language!r}"
            )
        app.config.language = EDITIONS[language]["catalog"]
        base = Path(app.outdir).parent / language
        app.srcdir = path(ROOT / "book" / language)
        app.outdir, app.doctreedir = path(base / "html"), path(base / "trees")
        app.outdir.mkdir(parents=True, exist_ok=True)
        app.doctreedir.mkdir(parents=True, exist_ok=True)
    app.confdir = path(ROOT)  # paths in _config.yml start at the root
    return root


# ---------------------------------------------------------- configuration
def refuse_drift(app: Sphinx, config: Config) -> None:
    """Build no site of editions that differ."""
    if drift := differences(ROOT):
        raise ExtensionError(
            "the editions have drifted apart:\n" + "\n".join(drift)
        )


def configure(app: Sphinx, config: Config) -> None:
    """Set what depends on the language or on this machine."""
    language = language_of(app)
    words = WORDS[language]
    config.external_toc_path = TOC
    config.exclude_patterns = [*config.exclude_patterns, "**/*.ipynb"]
    config.html_title = words["@title"]
    # Not an SVG: Chromium loads and draws it anew at each change of the
    # address, and a builder keeps its state there.
    config.html_favicon = str(ROOT / "book/_static/favicon.png")
    scripts = Path(app.doctreedir).parent / "scripts"
    bundle_scripts(scripts)
    config.html_static_path = [str(scripts)]
    sources = ("book", "src/preact/book")
    config.page_parts = fingerprint(*(ROOT / name for name in sources))
    config.templates_path.append(str(ROOT / "book/site/templates"))
    config.html_context |= {"default_mode": "light"}  # without scripts
    if site := site_url():
        config.html_baseurl = f"{site}/{language}/"
    config.html_use_index = False  # the glossary is no index
    options = config.html_theme_options
    options["search_bar_text"] = words.get(
        "Search this book...", "Search this book..."
    )
    options["article_header_end"] = [
        "language-switch.html",
        "article-header-buttons.html",
    ]
    options["navbar_persistent"] = []  # else a second search box
    config.copyright = f"{config.copyright} {words['@authors']}"
    options["footer_content_items"] = ["copyright.html", "extra-footer.html"]
    options["extra_footer"] = state_of_book(language)
    options |= source_options(language)
    for value, english in {
        "togglebutton_hint": "Click to show",
        "togglebutton_hint_hide": "Click to hide",
        "nb_code_prompt_show": "Show code cell {type}",
        "nb_code_prompt_hide": "Hide code cell {type}",
    }.items():
        setattr(config, value, words.get(english, english))
    silence_thebe(app)


def fingerprint(*folders: Path) -> str:
    """Return a hash of the scripts, sheets and templates in folders.

    Pages name their script and their sheet by it: when one of these changes,
    all pages are written anew.
    """
    digest = sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.suffix in {".css", ".html", ".js"}:
                digest.update(path.relative_to(folder).as_posix().encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def silence_thebe(app: Sphinx) -> None:
    """Disconnect sphinx-thebe, whose script comes twice and fails."""
    for event in ("env-before-read-docs", "doctree-resolved"):
        for listener in list(app.events.listeners[event]):
            if listener.handler.__module__ == "sphinx_thebe":
                app.disconnect(listener.id)


# ------------------------------------------------------------- whole site
TRANSLATING: list[subprocess.Popen[bytes]] = []


def build_translations(app: Sphinx) -> None:
    """Start the other editions' builds beside this one."""
    builds = Path(app.outdir).parents[1]
    if app.builder.name == "html" and not EDITION:
        TRANSLATING.extend(
            start_translation(app, language, builds / language)
            for language in TRANSLATIONS
        )


def finish(app: Sphinx, error: Exception | None) -> None:
    """After the editions' pages: what readers load beside them, the site."""
    for child in TRANSLATING:
        if error:
            child.kill()
        if child.wait() and not error:
            raise ExtensionError("a translation could not be built")
    if error or app.builder.name != "html":
        return
    builds = Path(app.outdir).parents[1]
    site = builds / "html"
    languages = [EDITION] if EDITION else LANGUAGES
    for language in languages:
        shutil.rmtree(site / language, ignore_errors=True)
        shutil.copytree(
            builds / language / "html",
            site / language,
            ignore=shutil.ignore_patterns("_static"),
        )
    copy_vendored(site / "_vendor")  # the glyphs that these pages use
    with get_context("fork").Pool() as pool:
        pool.starmap(
            finish_edition,
            [
                (builds / language / "html", site / language, language)
                for language in languages
            ],
        )
    write_front(site)
    if EDITION:
        return  # the others stay as they were, or are not there
    shutil.rmtree(site / PARALLEL, ignore_errors=True)
    pair_editions(site)
    build_wheel(site / WHEELS)
    write_zip(site, WORDS)
    (site / ".nojekyll").touch()


def finish_edition(built: Path, pages: Path, language: str) -> None:
    """Write an edition's index and notebooks; finish its pages."""
    write_index(pages, language)
    write_notebooks(language, pages / NOTEBOOKS)
    finish_pages(pages.rglob("*.html"), WORDS[language])
    write_assets(built, pages)


def write_front(site: Path) -> None:
    """Write the front page, which leads to an edition, and that of a 404."""
    templates = Environment(
        loader=FileSystemLoader(ROOT / "book/site/templates"),
        autoescape=True,
        keep_trailing_newline=True,
    )
    # A 404 page is served at any depth, so its links start at the root.
    values = {
        "editions": EDITIONS,
        "words": WORDS,
        "root": urlsplit(site_url()).path.rstrip("/"),
    }
    for name, template in {
        "index.html": "front.html",
        "404.html": "404.html",
    }.items():
        page = templates.get_template(template).render(values)
        (site / name).write_text(page, "utf-8")


def one_edition(language: str, base: Path) -> dict[str, Any]:
    """Return what Jupyter Book builds one edition with, below a folder."""
    return {
        "sourcedir": str(ROOT / "book" / language),
        "outputdir": str(base / "html"),
        "path_config": str(ROOT / "_config.yml"),
        "doctreedir": str(base / "trees"),
        "noconfig": True,
        "quiet": True,
        "confoverrides": {
            "language": EDITIONS[language]["catalog"],
            "external_toc_path": TOC,
            "latex_individualpages": False,
        },
    }


def start_translation(
    app: Sphinx, language: str, base: Path
) -> subprocess.Popen[bytes]:
    """Build another edition as this one is built, in a process of its own."""
    options = one_edition(language, base) | {
        "freshenv": app._fresh_env_used,
        "warningiserror": app.warningiserror or bool(app.keep_going),
        "keep_going": bool(app.keep_going),
    }
    command = [sys.executable, "-m", "book.site.child", json.dumps(options)]
    return subprocess.Popen(command, cwd=ROOT)
