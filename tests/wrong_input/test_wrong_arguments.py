"""Every command line that means nothing is refused, and does nothing."""

import tomllib
from pathlib import Path

import pytest

from sampled import sampled
from wrong_input.judging import files, refusal

CORPUS = tomllib.loads(
    Path(__file__).with_name("arguments.toml").read_text("utf-8")
)
CASES = [
    (name, words, says)
    for name, lines in CORPUS.items()
    for words, says in lines.items()
]
PLACES = {
    "train": ["--device", "cpu", "--out", "{tmp}/runs"],
    "ablate": ["--device", "cpu", "--out", "{tmp}/runs"],
}


@pytest.mark.parametrize(
    ("name", "words", "says"),
    [*sampled(CASES, 4)],
    ids=[" ".join(case[:2]).strip() for case in CASES],
)
def test_a_command_line_that_means_nothing_is_one_sentence(
    command, tmp_path, small, name, words, says, monkeypatch
):
    def filled(text):
        return text.replace("{tmp}", str(tmp_path)).replace(
            "{small}", str(small)
        )

    monkeypatch.chdir(tmp_path)
    before = files(small.parent)
    # what a case says comes last, and so holds
    line = [] if name == "nothing" else [name, *PLACES.get(name, [])]
    line = [filled(word) for word in [*line, *words.split()]]
    answer = command(*line)
    assert refusal(answer, *map(filled, says)) == "good"
    assert (files(tmp_path), files(small.parent)) == ({}, before)


@pytest.mark.parametrize("name", ["row", "out", "seed"])
def test_a_page_of_nonsense_is_not_repeated(command, tmp_path, name):
    odd = "x\x1b[31m" * 20_000
    words = ["train", "--depth", "8", "--device", "cpu", "--out", tmp_path]
    answer = command(*words, "--data", "cifar10", f"--{name}", odd)
    assert refusal(answer) == "good"
    assert len(answer.err) < 1100
