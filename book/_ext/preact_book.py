"""One site in three languages from a plain `jupyter-book build .`.

Jupyter Book starts Sphinx once, at the root. This extension points that build
at the English edition and, when it has finished, builds the others in the
same way and lays all three side by side: `_build/html/{en,zh-Hans,zh-Hant}/`,
with a front page that follows the browser's language. Every edition has its
own language setting, so numbering, search and theme strings are right in each.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml
from sphinx import locale
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError

sys.path.insert(0, str(Path(__file__).parent))
from execution import cache_folder
from finish_pages import finish_pages
from parity import differences

ROOT = Path(__file__).resolve().parents[2]
#            folder and html lang: (Sphinx's catalog, its name for itself)
LANGUAGES = {
    "en": ("en", "English"),
    "zh-Hans": ("zh_CN", "简体中文"),
    "zh-Hant": ("zh_TW", "繁體中文"),
}
WORDS = yaml.safe_load(
    (Path(__file__).parent / "ui_strings.yml").read_text("utf-8")
)
VENDOR = "../../_vendor/"  # as seen from <language>/_static/
VENDORED = {  # npm package: (folder on the site, files)
    "mathjax/es5": (
        "mathjax",
        ("tex-chtml.js", "output/chtml/fonts/**/*.woff"),
    ),
    "@jupyter-widgets/html-manager/dist": (
        "html-manager",
        ("embed.js", "*.woff2"),
    ),
}
# Classic scripts in this order: a page opened as a file loads no modules.
RACE = (
    *("engine/digits.js", "engine/network.js", "engine/training.js"),
    *("charts.js", "ranking.js", "race.js"),
)
PLACEHOLDER = "OWNER"
# The widgets' script asks MathJax 2 to typeset each widget; ours is 3, and the
# widgets hold no mathematics.
OLD_MATHJAX = """addEventListener("load", () => {
  if (window.MathJax && !MathJax.Hub) MathJax.Hub = { Queue() {} };
});"""


def setup(app: Sphinx) -> dict[str, Any]:
    """Point the build at one edition and listen in on its steps."""
    path = type(app.srcdir)
    if Path(app.srcdir) == ROOT:  # `jupyter-book build .`
        app.preact_site = Path(app.outdir)
        base = app.preact_site.parent / "en"
        app.srcdir = path(ROOT / "book/en")
        app.outdir, app.doctreedir = path(base / "html"), path(base / "trees")
        app.outdir.mkdir(parents=True, exist_ok=True)
        app.doctreedir.mkdir(parents=True, exist_ok=True)
    app.preact_language = Path(app.srcdir).name
    app.confdir = path(ROOT)  # paths in _config.yml start at the root
    app.connect("config-inited", configure, priority=1)  # before the TOC
    app.connect("config-inited", translate, priority=2)  # before numfig
    app.connect("html-page-context", dress_page, priority=900)
    app.connect("build-finished", finish, priority=900)
    return {"version": "1", "parallel_read_safe": True}


# ---------------------------------------------------------- configuration
def configure(app: Sphinx, config: Config) -> None:
    """Set what depends on the language or on this machine."""
    if app.preact_language == "en" and (found := differences(ROOT)):
        raise ExtensionError(
            "the editions have drifted apart:\n" + "\n".join(found)
        )
    words = WORDS[app.preact_language]
    config.external_toc_path = write_toc(app)
    config.nb_execution_cache_path = cache_folder().as_posix()
    config.exclude_patterns = [*config.exclude_patterns, "**/*.ipynb"]
    config.html_title = words["@title"]
    config.html_favicon = str(ROOT / "book/_static/favicon.svg")
    config.html_static_path = [str(ROOT / "book/_static")]
    config.html_css_files = ["book.css"]
    config.templates_path.append(str(ROOT / "book/_ext/templates"))
    config.html_context |= {"default_mode": "auto"}
    if site := site_url():
        config.html_baseurl = f"{site}/{app.preact_language}/"
    options = config.html_theme_options
    options["search_bar_text"] = words.get(
        "Search this book...", "Search this book..."
    )
    options["article_header_end"] = [
        "language-switch.html",
        "article-header-buttons.html",
    ]
    options["navbar_persistent"] = []  # else a second search box
    for value, english in {
        "togglebutton_hint": "Click to show",
        "togglebutton_hint_hide": "Click to hide",
        "nb_code_prompt_show": "Show code cell {type}",
        "nb_code_prompt_hide": "Hide code cell {type}",
    }.items():
        setattr(config, value, words.get(english, english))
    if (ROOT / "node_modules/mathjax").exists():
        config.mathjax_path = VENDOR + "mathjax/tex-chtml.js"
        config.nb_ipywidgets_js = {VENDOR + "html-manager/embed.js": {}}
    silence_thebe(app)


def write_toc(app: Sphinx) -> str:
    """Write the edition's table of contents; return its absolute path."""
    text = (ROOT / "_toc.yml").read_text("utf-8").replace("book/en/", "")
    path = Path(app.doctreedir).parent / "_toc.yml"
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, "utf-8")
    return path.as_posix()


def silence_thebe(app: Sphinx) -> None:
    """Disconnect sphinx-thebe, whose script comes twice and fails."""
    for event in ("env-before-read-docs", "doctree-resolved"):
        for listener in list(app.events.listeners[event]):
            if listener.handler.__module__ == "sphinx_thebe":
                app.disconnect(listener.id)


class Words(locale.NullTranslations):
    """Our words first, a package's own catalog after."""

    def __init__(self, words: dict[str, str], fallback: Any) -> None:
        super().__init__()
        self.words = words
        self._fallback = fallback

    def gettext(self, message: str) -> str:
        return self.words.get(message) or self._fallback.gettext(message)

    def ngettext(self, one: str, many: str, n: int) -> str:
        return self._fallback.ngettext(one, many, n)


def translate(app: Sphinx, config: Config) -> None:
    """Put our words before the catalogs of Sphinx, theme and extensions."""
    words = WORDS[app.preact_language]
    for key in list(locale.translators):
        if key[0] == "general":
            locale.translators[key] = Words(words, locale.translators[key])
    for domain in ("booktheme", "exercise", "togglebutton", "sphinx"):
        locale.translators.setdefault(
            ("general", domain), Words(words, locale.NullTranslations())
        )
    app.translator = locale.translators["general", "sphinx"]


# ------------------------------------------------------------------ pages
def dress_page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], tree: Any
) -> None:
    """Language, switch to the same page, alternates, launch buttons."""
    context["language"] = app.preact_language
    if "header_buttons" not in context:
        return
    if "jupyter.widget-view" in context.get("body", ""):
        app.add_js_file(None, body=OLD_MATHJAX, priority=100)
    if "preact-stack" in context.get("body", ""):
        app.add_js_file("stack.js", type="module")
    if "preact-race" in context.get("body", ""):
        for script in RACE:
            app.add_js_file(script, loading_method="defer")
    target = page if tree is not None or page == "search" else "index"
    up = "../" * (page.count("/") + 1)
    context["languages"] = [
        (code, name, f"{up}{code}/{target}.html")
        for code, (_, name) in LANGUAGES.items()
    ]
    base = f"{site}/" if (site := site_url()) else up
    context["metatags"] = context.get("metatags", "") + "".join(
        f'<link rel="alternate" hreflang="{code}" '
        f'href="{base}{code}/{target}.html" />\n'
        for code in LANGUAGES
    )
    is_notebook = app.env.metadata.get(page, {}).get("kernelspec")
    if is_notebook and PLACEHOLDER not in repository():
        buttons = launch_buttons(app.preact_language, page)
        context["header_buttons"].insert(0, buttons)


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


def repository() -> str:
    """Return owner/name: from CI's environment, else from pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    url = project["project"]["urls"]["Repository"]
    name = url.removeprefix("https://github.com/")
    return os.environ.get("GITHUB_REPOSITORY", name)


def site_url() -> str:
    """Return where the site will be served, if the environment says."""
    return os.environ.get("SITE_URL", "").rstrip("/")


# ------------------------------------------------------------- whole site
CHILD = """
import sys
from jupyter_book.sphinx import build_sphinx
code = build_sphinx(
    {source!r}, {out!r}, noconfig=True, path_config={config!r},
    doctreedir={trees!r}, quiet=True, freshenv={fresh!r},
    warningiserror={strict!r}, keep_going={keep_going!r},
    confoverrides={{
        "language": {catalog!r}, "external_toc_path": {toc!r},
        "latex_individualpages": False,
    }},
)
sys.exit(0 if code == 0 else 1)
"""


def finish(app: Sphinx, error: Exception | None) -> None:
    """After the English edition: the other two, then the site."""
    if error or app.builder.name != "html" or app.preact_language != "en":
        return
    site = app.preact_site
    for language, (catalog, _) in LANGUAGES.items():
        base = site.parent / language
        if language != "en":
            script = CHILD.format(
                source=str(ROOT / "book" / language),
                out=str(base / "html"),
                config=str(ROOT / "_config.yml"),
                trees=str(base / "trees"),
                toc=str(base / "_toc.yml"),
                catalog=catalog,
                fresh=app._fresh_env_used,
                strict=app.warningiserror or app.keep_going,
                keep_going=bool(app.keep_going),
            )
            child = subprocess.run([sys.executable, "-c", script], check=False)
            if child.returncode:
                raise ExtensionError(f"the {language} edition failed")
        shutil.rmtree(site / language, ignore_errors=True)
        shutil.copytree(base / "html", site / language)
    copy_vendored(site / "_vendor")
    for language in LANGUAGES:
        finish_pages(site / language, WORDS[language])
    (site / ".nojekyll").touch()
    folder = ROOT / "book/_ext/templates"
    front = (folder / "front.html").read_text("utf-8")
    (site / "index.html").write_text(front, "utf-8")
    # A 404 page is served at any depth, so its links start at the root.
    missing = (folder / "404.html").read_text("utf-8")
    root = urlsplit(site_url()).path.rstrip("/")
    (site / "404.html").write_text(missing.replace("@", root), "utf-8")


def copy_vendored(folder: Path) -> None:
    """Copy the scripts that pages load; without npm they come from a CDN."""
    shutil.rmtree(folder, ignore_errors=True)
    for package, (name, patterns) in VENDORED.items():
        source = ROOT / "node_modules" / package
        for pattern in patterns:
            for path in source.glob(pattern):
                copy = folder / name / path.relative_to(source)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, copy)
