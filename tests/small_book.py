"""A small book, built by Sphinx with some of the site's extensions."""

from io import StringIO

from sphinx.testing.util import SphinxTestApp

from preact.strings import EDITIONS

MYST = ["colon_fence", "dollarmath"]


def build(folder, edition, sources, extensions, connect=None, **settings):
    """The HTML of the pages by name, and the warnings of the build."""
    source = folder / edition
    source.mkdir(exist_ok=True)
    (source / "conf.py").touch()
    for name, text in sources.items():
        (source / name).write_text(text, "utf-8")
    warnings = StringIO()
    app = SphinxTestApp(
        srcdir=source,
        builddir=folder,
        warning=warnings,
        confoverrides={
            "extensions": extensions,
            "language": EDITIONS[edition]["catalog"],
            "myst_enable_extensions": MYST,
            "nb_execution_mode": "off",
            "numfig": True,
            "suppress_warnings": ["app"],  # of another test's build
        }
        | settings,
    )
    if connect:
        app.add_config_value("page_parts", "", "html")
        app.connect("html-page-context", connect, priority=900)
    try:
        app.build()
    finally:
        app.cleanup()
    pages = {
        path.stem: path.read_text("utf-8")
        for path in (folder / "html").glob("*.html")
    }
    return pages, warnings.getvalue()
