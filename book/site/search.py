"""Chinese full-text search without a dictionary: by pairs of characters."""

import re
from typing import Any

from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

CJK = r"[\u3400-\u9fff\uf900-\ufaff]+"


class SearchPairs(SearchEnglish):
    """Index each run of characters by its pairs; the rest as in English."""

    lang, language_name = "zh", "Chinese"
    js_splitter_code = r"""
var splitQuery = function (query) {
  var out = [], cjk = /[\u3400-\u9fff\uf900-\ufaff]+/g;
  (query.match(cjk) || []).forEach(function (run) {
    if (run.length === 1) out.push(run);
    for (var i = 0; i + 1 < run.length; i++) out.push(run.slice(i, i + 2));
  });
  var rest = query.replace(cjk, " ").match(/[\p{Letter}\p{Number}_]+/gu);
  return out.concat(rest || []);
};
"""

    def split(self, input: str) -> list[str]:
        """Split a text into the words that are indexed."""
        words = []
        for run in re.findall(CJK, input):
            words += list(run)
            words += [run[i : i + 2] for i in range(len(run) - 1)]
        return words + super().split(re.sub(CJK, " ", input))

    def word_filter(self, word: str) -> bool:
        """Keep every pair, however short."""
        return bool(re.match(CJK, word)) or super().word_filter(word)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the language for zh_CN and zh_TW alike."""
    app.add_search_language(SearchPairs)
    return {
        "version": "1",
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
