"""Where the book is: its repository, its site, its state.

One setting says where the repository is: `repository: {url: ...}` in
`_config.yml`, or GITHUB_REPOSITORY in the environment, which GitHub sets.
Without it nothing on the site speaks of a repository. SITE_URL says where the
site will be served.
"""

import os
import re
import subprocess
from pathlib import Path

import yaml

import preact
from book.tools import ROOT

GITHUB = "https://github.com/"
OWNED = re.compile(r"[\w.-]+/[\w.-]+")
PUBLISHED = "notebooks"  # the branch that holds the notebooks of the site
WHEELS = "_wheel"  # on the site


def repository(root: Path = ROOT) -> str:
    """Return owner/name, or nothing where no repository is set.

    Raises
    ------
    ValueError
        If what is set is no repository of GitHub.
    """
    if name := os.environ.get("GITHUB_REPOSITORY", ""):
        return name
    config = yaml.safe_load((root / "_config.yml").read_text("utf-8"))
    url = config.get("repository", {}).get("url", "")
    name = url.removeprefix(GITHUB).rstrip("/").removesuffix(".git")
    if url and not OWNED.fullmatch(name):
        raise ValueError(
            f"repository: url in _config.yml must be {GITHUB}owner/name; "
            f"got {url!r}"
        )
    return str(name)


def branch() -> str:
    """Return the branch that edits start from."""
    onto = os.environ.get("GITHUB_BASE_REF")  # of a pull request
    return onto or os.environ.get("GITHUB_REF_NAME") or "main"


def site_url() -> str:
    """Return where the site will be served, if the environment says."""
    return os.environ.get("SITE_URL", "").rstrip("/")


def wheel_name() -> str:
    """Return the file name of the package's wheel."""
    return f"preact_resnet-{preact.__version__}-py3-none-any.whl"


def package_address() -> str:
    """Return what pip installs the package from; nothing if nobody knows.

    The site's own wheel first: it is what the site's chapters ran with.
    """
    if site := site_url():
        return f"{site}/{WHEELS}/{wheel_name()}"
    if name := repository():
        return f"git+{GITHUB}{name}"
    return ""


def last_changed(root: Path = ROOT) -> str:
    """Return the day of the last commit, or nothing outside a repository.

    The committer's day and no clock: the same commit gives the same pages.
    """
    log = ["git", "-C", str(root), "log", "-1", "--format=%cs"]
    try:
        run = subprocess.run(log, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return run.stdout.strip()
