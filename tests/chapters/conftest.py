"""Chapters are tested in English, unless a test asks for another language."""

import pytest

from preact.book import setup


@pytest.fixture(autouse=True)
def english():
    yield setup("en")
    setup("en")
