"""Names before a citation, as the page's language joins them."""

from functools import partial

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinxcontrib.bibtex.plugin import register_plugin
from sphinxcontrib.bibtex.style.referencing import PersonStyle
from sphinxcontrib.bibtex.style.referencing.foot import FootReferenceStyle

from book.site.words import WORDS, language_of

GROUP = "sphinxcontrib.bibtex.style.referencing"
NAME = "edition"  # in _config.yml


def choose_names(app: Sphinx, config: Config) -> None:
    """Let the edition's words stand between and behind names."""
    words = WORDS[language_of(app)]
    person = PersonStyle(sep2=words["@and"], other=words["@others"])
    style = partial(
        FootReferenceStyle, person=person, text_reference_sep="\u00a0"
    )
    register_plugin(GROUP, NAME, style, force=True)  # type: ignore[arg-type]


def setup(app: Sphinx) -> None:
    """Choose before the citations are read."""
    app.connect("config-inited", choose_names, priority=3)
