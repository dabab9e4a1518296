# The only front door. Every target sets itself up first.
PYTHON ?= python3
EDITION ?= en
BIN := .venv/bin
NPM := $(shell command -v npm 2>/dev/null)
# Hundreds of processes that the tests start read what one of them compiled.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup check lint types form contracts chapters words test notebooks report translated book pdf site-test links serve clean

help: ## what can be made
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18

setup: .venv/ready node_modules/ready ## the environment, once

# torch first: with it in place nothing else asks for another build of it.
.venv/ready: requirements.txt requirements-peers.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "preact needs Python 3.11 or newer; got " + sys.version.split()[0])'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check "$$(grep ^torch== requirements.txt)"
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -r requirements-peers.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# What sets formulas and text; without npm a reader's MathJax, from a CDN.
node_modules/ready: package.json package-lock.json
ifdef NPM
	npm ci --silent --no-audit --no-fund
else
	@mkdir -p node_modules
	@echo "npm is not here: pages will show formulas with MathJax from a CDN."
endif
	@touch $@

# Two at a time: one core has enough to do with the types.
lint: setup _build
	@$(MAKE) --no-print-directory -j 2 types form contracts chapters words

types:
	$(BIN)/mypy --no-error-summary

form:
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet

contracts:
	$(BIN)/lint-imports --no-cache > _build/contracts.txt || (cat _build/contracts.txt; false)

chapters:
	$(BIN)/python -m book.tools.notebooks --check

words:
	$(BIN)/python -m book.tools.language

check: lint ## lint, types, contracts and the fast tests
	$(BIN)/pytest -q -n 2 --dist worksteal --ignore tests/site -m "not slow"

# The index says how many seconds its cells take: nothing runs beside it.
test: lint ## every test and every notebook
	$(BIN)/pytest -q -n 2 --dist worksteal --ignore tests/site
	$(BIN)/pytest -q --nbmake --share-cache notebooks/*/index.ipynb
	$(BIN)/pytest -q -n 2 --nbmake --share-cache --ignore-glob '*/index.ipynb' notebooks

notebooks: setup ## notebooks/ anew from the chapters
	$(BIN)/python -m book.tools.notebooks

report: setup ## the tables of errors and times in README.md
	$(BIN)/python -m book.tools.results

translated: setup ## note that the Chinese editions follow the English again
	$(BIN)/python -m book.tools.language --record

book: setup ## the site in three languages
	$(BIN)/jupyter-book build . -W --keep-going --quiet
	@echo "The book is at _build/html/index.html"

pdf: setup ## one PDF for each language, which the built site then offers
	$(BIN)/python -m book.tools.pdf

site-test: setup ## the built site in a real browser
	$(BIN)/pytest -q tests/site -n 2 --dist loadgroup -m "not nightly"

links: setup ## the addresses that the book names are still there
	$(BIN)/jupyter-book build . --builder linkcheck

# An edition that is built needs seconds for a page.
serve: setup ## the built site, rebuilt as you write: make serve EDITION=zh-Hans
	$(BIN)/python -m book.tools.serve $(EDITION)

_build:
	@mkdir -p _build

clean: ## everything that was made, the environment apart
	rm -rf _build
