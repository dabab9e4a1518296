"""Weights are kept: a file gives back the network that was trained."""

import json
import re
import resource
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from safetensors.torch import load_file, safe_open, save_file
from torch import nn

import preact
from legal import network_plans
from preact.cli import main
from preact.data import load
from preact.nn import Network, put_units
from preact.plan import cifar_plan, imagenet_plan
from preact.plan.written import WrittenPlan, write_plan
from preact.records import read_record
from preact.spec import ROWS
from preact.train import evaluate
from preact.typed import parse
from preact.weights import read_header, save_weights

PLAN = cifar_plan("full-preactivation", depth=8, convs=2, width=4)
SMALL = ["--depth", "8", "--width", "4", "--batch", "16", "--iterations", "3"]


def network_of(plan):
    """With running statistics that are no longer those of the start."""
    network = Network(plan, seed=3)
    rng = torch.Generator().manual_seed(4)
    for value in network.buffers():
        value.uniform_(0.5, 1.5, generator=rng)
    return network


def written_to(path, change_texts=str, change_tensors=len):
    """A file of ours, with something changed in it."""
    preact.save(network_of(PLAN), path)
    with safe_open(path, "pt") as file:
        texts = file.metadata()
    tensors = load_file(path)
    change_texts(texts)
    change_tensors(tensors)
    save_file(tensors, path, texts)
    return path


@settings(max_examples=60)
@given(network_plans())
def test_a_plan_is_read_as_it_was_written(plan):
    assert parse(WrittenPlan, write_plan(plan)).plan == plan


def test_a_plan_that_no_maker_makes_is_not_written():
    wide = replace(PLAN.units[-1], c_in=5, c_out=16, projection="conv")
    plan = replace(PLAN, units=(*PLAN.units[:-1], wide))
    with pytest.raises(ValueError, match="cannot be written"):
        write_plan(plan)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_same_network_comes_back_bit_for_bit(tmp_path, dtype):
    network = network_of(PLAN).to(dtype)
    network.to(memory_format=torch.channels_last)
    path = tmp_path / "new folder" / "mine.safetensors"
    preact.save(network, path)
    loaded = preact.load(str(path))
    assert loaded.plan == PLAN
    assert not loaded.training
    for name, value in network.state_dict().items():
        assert torch.equal(loaded.state_dict()[name], value)
        assert loaded.state_dict()[name].dtype == dtype
    assert read_header(path).config is None


def test_the_same_network_is_the_same_file_to_the_last_byte(tmp_path):
    files = set()
    for _ in range(8):
        preact.save(network_of(PLAN), tmp_path / "it")
        files.add((tmp_path / "it").read_bytes())
    assert len(files) == 1


def test_no_half_of_a_file_takes_the_place_of_another(tmp_path):
    path = tmp_path / "mine.safetensors"
    preact.save(network_of(PLAN), path)
    before = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            preact.save(Network(PLAN, seed=9), path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_shapes_are_planned_as_the_network_has_them():
    for row in [*ROWS][::5]:
        for plan in (
            cifar_plan(row, depth=11, convs=3, width=4),
            imagenet_plan(row, depth=18, width=4, conventions="fair"),
        ):
            made = Network(plan).state_dict()
            assert plan.tensors == {n: tuple(v.shape) for n, v in made.items()}


def test_what_could_not_be_loaded_again_is_not_saved(tmp_path):
    weights, place = Network(PLAN).state_dict(), tmp_path / "it"
    other = Network(PLAN)
    other.classifier = torch.nn.Linear(16, 7)
    half = weights | {"classifier.bias": weights["classifier.bias"].half()}
    for call, sentence in [
        (lambda: preact.save(Network(PLAN), tmp_path), "got a folder"),
        (lambda: preact.save(other, place), r"\(10, 16\); got \(7,"),
        (lambda: save_weights(place, PLAN, half), r"of one kind, F16 .*F32"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            call()
    with pytest.raises(TypeError, match=r"preact\.Network; got Linear"):
        preact.save(torch.nn.Linear(1, 1), place)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("stem.0.weight", torch.nan, "finite numbers; got 108 NaN or infinit"),
        ("tail.0.running_var", -1.0, "no negative variance; got -1"),
    ],
)
def test_numbers_that_compute_nothing_are_neither_saved_nor_loaded(
    tmp_path, name, value, sentence
):
    network = Network(PLAN, seed=0)
    network.state_dict()[name].fill_(value)
    with pytest.raises(ValueError, match=f"^{name} must hold {sentence}"):
        preact.save(network, tmp_path / "it")
    assert not [*tmp_path.iterdir()]
    # of a run that has diverged
    save_weights(tmp_path / "it", PLAN, network.state_dict())
    assert said(tmp_path / "it").startswith(f": {name} must hold {sentence}")


def said(path):
    """The one sentence by which a file is refused."""
    with pytest.raises((ValueError, FileNotFoundError)) as told:
        preact.load(path)
    sentence = str(told.value)
    assert sentence.startswith(str(path))
    assert len(sentence) - len(str(path)) < 400
    assert "pydantic" not in sentence
    return sentence.removeprefix(str(path))


def spoil(**values):
    return lambda texts: texts.update(values)


def in_plan(**values):
    def change(texts):
        texts["plan"] = json.dumps(json.loads(texts["plan"]) | values)

    return change


UNITS = {"c_inner": 4, "c_out": 4}


def test_a_header_that_was_changed_is_one_sentence(tmp_path):
    for change, sentence in [
        (dict.clear, "holds no network of preact, as preact.save writes"),
        (spoil(version="2"), "version must be one of '1'; got '2'"),
        (lambda texts: texts.pop("sha256"), "sha256 is missing"),
        (spoil(sha256="0" * 64), "is damaged: its SHA-256 is not"),
        (spoil(notes="mine"), "got 'notes'"),
        (spoil(plan="{"), "plan is not JSON"),
        (in_plan(convs=4), "convs must be at most 3; got 4"),
        (in_plan(stages=[[]]), "stages must each have a unit"),
        (in_plan(stages=[[UNITS | {"c_out": 8}]]), "projection must be 'pad'"),
        (in_plan(stages=[[UNITS | {"count": 10**9}]]), "count must be at mos"),
        (in_plan(unit={"pre": ["GN"]}), r"unit.pre\[0\] must be one of"),
        (in_plan(classes=11), "is damaged: its SHA-256 is not"),
    ]:
        path = written_to(tmp_path / "it", change)
        assert re.search(sentence, said(path)), (sentence, said(path))


def test_tensors_that_were_changed_are_one_sentence(tmp_path):
    for change in [
        dict.clear,
        lambda t: t.popitem(),
        lambda t: t.update(extra=torch.ones(1)),
        lambda t: t["classifier.bias"].add_(1),
    ]:
        path = written_to(tmp_path / "it", change_tensors=change)
        assert "is damaged: its SHA-256 is not" in said(path)


class Trap:
    def __reduce__(self):
        return (pytest.fail, ("a pickle was executed",))


def test_a_damaged_or_foreign_file_is_one_sentence(tmp_path):
    path = written_to(tmp_path / "it")
    whole = path.read_bytes()
    for content in (b"", whole[:-100], whole + b"more", b"\xff" * 8):
        path.write_bytes(content)
        assert "must be a file of weights" in said(path)
    torch.save({"state_dict": Trap()}, path)
    assert "must be a file of weights" in said(path)
    assert said(tmp_path / "none") == " does not exist"
    assert said(tmp_path) == " must be a regular file"


def evaluated(capsys, path, *options):
    assert main(["eval", str(path), *options, "--device", "cpu"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--precision", "bf16"],
        ["--channels-last", "--row", "exclusive-gating-b-6"],
    ],
    ids=" ".join,
)
def test_the_error_is_that_of_the_record_however_it_was_computed(
    tmp_path, capsys, options
):
    out = ["--out", str(tmp_path), "--device", "cpu"]
    assert main(["train", *SMALL, *options, *out]) == 0
    (path,) = tmp_path.rglob("seed-1.json")
    record, kept = read_record(path), path.with_suffix(".safetensors")
    capsys.readouterr()
    facts = json.loads(evaluated(capsys, kept, "--json", "--data", "digits"))
    assert facts["test_error_pct"] == record.test_error_pct
    assert facts["parameters"] == record.parameters
    words = evaluated(capsys, kept)
    assert f"test error {record.test_error_pct:.2f} % on the 360" in words
    assert f"ResNet-8 of `{record.spec.split(' conv')[0]}" in words
    assert read_header(kept).config == record.config


DIGITS = cifar_plan("original", depth=8, convs=2, width=4, image=(1, 8, 8))


def kept_with(path, **changes):
    """Weights of a network of digits, and what a run of theirs would say."""
    config = {"data": "digits"} | changes
    save_weights(path, DIGITS, network_of(DIGITS).state_dict(), config)
    return path


def test_a_run_in_tf32_is_evaluated_in_fp32_on_a_cpu(tmp_path, capsys):
    plain = evaluated(capsys, kept_with(tmp_path / "it"))
    kept_with(tmp_path / "it", execution={"precision": "tf32"})
    assert main(["eval", str(tmp_path / "it"), "--device", "cpu"]) == 0
    told = capsys.readouterr()
    assert told.out == plain
    assert told.err == (
        "preact: its run had TF32, which no CPU has: evaluated in fp32\n"
    )


def test_images_of_another_hash_are_told_of(tmp_path, capsys):
    path, sha256 = tmp_path / "it", load("digits").sha256
    kept_with(path, data_sha256=sha256)
    evaluated(capsys, path)
    assert capsys.readouterr().err == ""
    kept_with(path, data_sha256="0" * 64)
    assert main(["eval", str(path), "--device", "cpu"]) == 0
    assert capsys.readouterr().err == (
        "preact: the images are not those of its run: their SHA-256 is "
        f"{sha256[:12]}, and it had 000000000000\n"
    )


def test_weights_of_a_run_that_held_images_out_are_tested_on_the_test_images(
    tmp_path, capsys
):
    path = tmp_path / "it"
    kept_with(path, data="digits", data_sha256="")
    plain = evaluated(capsys, path)
    kept_with(path, data="digits-held-out-200", data_sha256="0" * 64)
    assert main(["eval", str(path), "--device", "cpu"]) == 0
    told = capsys.readouterr()
    assert told.out.strip() == plain.strip()
    assert told.err == (
        "preact: its run held out 200 of the training images: here it is "
        "tested on the test images\n"
    )


def test_weights_that_are_not_finite_have_no_error():
    network = network_of(DIGITS)
    network.state_dict()["classifier.bias"].fill_(torch.nan)
    with pytest.raises(ValueError, match="logits of ResNet-8 must be finite"):
        evaluate(network, load("digits"))


def test_a_part_of_the_configuration_that_is_none_is_named(tmp_path, capsys):
    path = kept_with(tmp_path / "it", recipe=5)
    assert main(["eval", str(path), "--device", "cpu"]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"preact: {path}: config.recipe")
    assert told.endswith("must be a table; got 5\n")


def test_an_experiment_keeps_weights_only_if_it_is_asked_to(tmp_path, capsys):
    path = tmp_path / "tiny.toml"
    path.write_text("""
scientific.rows = ["original"]
scientific.networks = [{ depth = 8, convs = 2, width = 4 }]
[fixed]
recipe = "digits"
recipe_changes = { iterations = 2, batch = 8, ghost_batch = 8, drop_at = [1] }
""")
    command = ["ablate", str(path), "--device", "cpu", "--out"]
    assert main([*command, str(tmp_path / "a")]) == 0
    assert not [*tmp_path.rglob("*.safetensors")]
    assert main([*command, str(tmp_path / "a"), "--save"]) == 2
    assert "1 record without weights" in capsys.readouterr().err
    assert main([*command, str(tmp_path / "b"), "--save"]) == 0
    assert main([*command, str(tmp_path / "b"), "--save"]) == 0  # has them
    (kept,) = (tmp_path / "b").rglob("*.safetensors")
    assert preact.load(kept).plan.spec == ROWS["original"]


def test_eval_of_a_network_of_other_images_is_refused(tmp_path, capsys):
    preact.save(network_of(PLAN), tmp_path / "it")
    for options, sentence in [
        (
            [],
            "does not name its data: give --folder, or --data, one of digits",
        ),
        (["--data", "digits"], "needs a network for 1 channels"),
    ]:
        assert main(["eval", str(tmp_path / "it"), *options]) == 2
        told = capsys.readouterr()
        assert (told.out, len(told.err.splitlines())) == ("", 1)
        assert sentence in told.err


class Normed(nn.Module):
    """A unit of one's own with PyTorch's BN, which counts its batches."""

    def __init__(self, c_in, c_out, stride):
        super().__init__()
        self.bn = nn.BatchNorm2d(c_in)
        self.conv = nn.Conv2d(c_in, c_out, 3, stride, padding=1)

    def forward(self, x):
        return self.conv(self.bn(x))


def test_a_network_of_own_units_comes_back_however_often_it_is_saved(
    tmp_path,
):
    network, file = Network(PLAN, seed=3), tmp_path / "own.safetensors"
    put_units(network, Normed, seed=0)
    network(torch.ones(2, 3, 32, 32))  # counts a batch
    again = network.eval()
    for _ in range(2):
        preact.save(again, file)
        with pytest.raises(ValueError, match=r"made by .*:Normed"):
            preact.load(file)
        again = preact.load(file, make=Normed)
    image = torch.ones(1, 3, 32, 32)
    assert again(image).equal(network(image))


def test_a_network_says_what_makes_its_units_as_its_file_does(tmp_path):
    network, file = Network(PLAN, seed=3), tmp_path / "own.safetensors"
    put_units(network, Normed, seed=0).make = "my_units:Normed"
    preact.save(network, file)
    assert preact.load(file, make=Normed).make == "my_units:Normed"
