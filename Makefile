# The only front door. Every target sets itself up first.
PYTHON ?= python3
BIN := .venv/bin
PYTEST := $(BIN)/pytest -q -n 2 --dist worksteal --ignore tests/site
# As a reader runs notebooks. A kernel that ends late on a busy machine is no fault of one.
NBMAKE := $(BIN)/pytest -q --nbmake -W ignore::pytest.PytestUnraisableExceptionWarning
NPM := $(shell command -v npm 2>/dev/null)
# Hundreds of processes that the tests start read what one of them compiled.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup check lint types form contracts chapters scripts test test-all nightly notebooks size report claims translated book site-test links serve clean

help: ## what can be made
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18

setup: .venv/ready node_modules/ready ## the environment, once

# torch first: with it in place nothing else asks for another build of it.
.venv/ready: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "preact needs Python 3.11 or newer; got " + sys.version.split()[0])'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check "$$(grep ^torch== requirements.txt)"
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# What sets formulas and bundles scripts; without npm there is no book.
node_modules/ready: package.json package-lock.json
ifdef NPM
	npm ci --silent --no-audit --no-fund
else
	@mkdir -p node_modules
	@echo "npm is not here: tests of scripts are skipped, and `make book` needs it."
endif
	@touch $@

# Two at a time: one core has enough to do with the types.
lint: setup _build
	@$(MAKE) --no-print-directory -j 2 types form contracts chapters scripts

types:
	$(BIN)/mypy --no-error-summary

form:
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --quiet

contracts:
	$(BIN)/lint-imports --no-cache > _build/contracts.txt || (cat _build/contracts.txt; false)

chapters:
	$(BIN)/python -m book.tools.notebooks --check

scripts: # eslint, prettier and the types of the book's scripts
ifdef NPM
	@npm run --silent lint
else
	@echo "npm is not here: the book's scripts were not checked."
endif

check: lint ## lint, types, contracts and the fast tests, in a minute or two
	$(PYTEST) -m "not slow and not nightly"

test: lint ## what a newcomer runs: all but the site's tests, English notebooks
	$(PYTEST) -m "not nightly"
	$(BIN)/python -m book.tools.execution en
	$(NBMAKE) notebooks/en/index.ipynb notebooks/en/02-signal.ipynb

test-all: test ## and the other editions' notebooks, the book, the site
	$(BIN)/python -m book.tools.execution
	@$(MAKE) --no-print-directory book
	@$(MAKE) --no-print-directory site-test

nightly: setup ## rare surroundings, after `make book`: kills, widths
	$(BIN)/pytest -q -n 2 --dist loadgroup -m nightly
	$(NBMAKE) -n 2 notebooks/en

notebooks: setup ## notebooks/ anew from the chapters, and their explorers
	$(BIN)/python -m book.tools.notebooks
	node book/scripts/build.js --widget src/preact/book

# SEED=7: any whole number; the tests of `make test` take 0.
claims: setup ## all claims, what is measured on new networks: make claims SEED=7
	PREACT_SEED=$(or $(SEED),0) $(BIN)/pytest -q -n 2 -m "claim and not nightly"

# As git knows them, docstrings included; CONTRIBUTING says what they mean.
size: ## lines by area
	@lines() { printf '%7d  %s\n' "$$(git ls-files -- "$$@" | xargs cat | wc -l)" "$$name"; }; \
	name='engine: src/preact without book' lines 'src/preact/*.py' ':!src/preact/book'; \
	name='what chapters show: src/preact/book' lines 'src/preact/book/*.py'; \
	name='build of the book: book' lines 'book/*.py'; \
	name='scripts and sheets' lines '*.js' '*.css' '*.html' ':!tests' ':!docs'; \
	name='tests' lines 'tests/*.py' 'tests/*.js'

report: setup ## the table of errors and the pictures in README.md
	$(BIN)/python -m book.tools.results

translated: setup ## note that the Chinese editions follow the English again
	$(BIN)/python -m book.tools.language --record

# EDITION=zh-Hans: that one alone; what else the site has stays as it was.
book: setup ## the site in three languages, or with EDITION=en in one
	$(BIN)/python -m book.tools.execution $(EDITION)
	EDITION=$(EDITION) $(BIN)/jupyter-book build . -W --keep-going --quiet
	@echo "The book is at _build/html/index.html"

site-test: setup ## the built site in a real browser
	$(BIN)/pytest -q tests/site -n 2 --dist loadgroup -m "not nightly"

links: setup ## the addresses that the book names are still there
	$(BIN)/jupyter-book build . --builder linkcheck

# An edition that is built needs seconds for a page.
serve: setup ## the site, rebuilt as you write: make serve EDITION=zh-Hans PORT=8001
	@test -e _build/html/index.html || $(MAKE) --no-print-directory book EDITION=$(or $(EDITION),en)
	$(BIN)/python -m book.tools.serve $(or $(EDITION),en) $(or $(PORT),8000)

_build:
	@mkdir -p _build

clean: ## everything that was made, the environment apart
	rm -rf _build
