"""The notebook for a GPU runs, in miniature, where there is none."""

import os

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from paths import ROOT

pytestmark = pytest.mark.nightly
NOTEBOOK = ROOT / "experiments/gpu.ipynb"
SMALL = {
    "DEVICE": "cpu",
    "DATA": "digits",
    "MORE": "--recipe digits --iterations 1 --batch 8",
}


def executed(folder, **environment):
    """Run the notebook in a folder; return it with its output."""
    notebook = nbformat.read(NOTEBOOK, 4)
    # A kernel that sees a test leaves the output of its commands alone.
    inherited = {**os.environ}
    inherited.pop("PYTEST_CURRENT_TEST", None)
    NotebookClient(
        notebook, resources={"metadata": {"path": str(folder)}}, timeout=500
    ).execute(env={**inherited, **environment})
    return notebook


def test_the_notebook_trains_and_reports(tmp_path):
    executed(ROOT / "experiments", **SMALL, RUNS=str(tmp_path / "runs"))
    assert len(list((tmp_path / "runs").rglob("seed-1.json"))) == 2


def test_without_a_gpu_the_notebook_says_so_at_once(tmp_path):
    with pytest.raises(CellExecutionError, match="needs a GPU"):
        executed(tmp_path, CUDA_VISIBLE_DEVICES="")


def test_the_notebook_is_delivered_without_output():
    for cell in nbformat.read(NOTEBOOK, 4).cells:
        assert not cell.get("outputs")
