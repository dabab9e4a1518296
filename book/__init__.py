"""The book: chapters in three languages, their programs, and the site."""
