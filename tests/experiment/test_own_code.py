"""Units of own code, weights to start from, images that are held out."""

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import preact
from paths import ROOT
from preact.cli import main
from preact.data import hold_out, load
from preact.experiment import execute
from preact.experiment.matrix import PlannedRun
from preact.figures import errors_table
from preact.nn import Network, with_classes
from preact.records import read_record
from preact.records.compare import compare, load_records
from preact.strings import LANGUAGES, Strings
from preact.train import Execution, train
from preact.train.own_code import OwnCode
from preact.train.stop import Stopped
from preact.weights import load as load_network
from preact.weights import save
from small import small_run, stop_at

UNITS = """
from torch import nn

class Gelu(nn.Module):
    def __init__(self, c_in, c_out, stride):
        super().__init__()
        self.branch = nn.Sequential(
            nn.BatchNorm2d(c_in), nn.GELU(),
            nn.Conv2d(c_in, c_out, 3, stride, 1, bias=False),
        )
        same = c_in == c_out and stride == 1
        self.shortcut = (
            nn.Identity() if same else nn.Conv2d(c_in, c_out, 1, stride)
        )
    def forward(self, x):
        return self.shortcut(x) + self.branch(x)

def narrow(c_in, c_out, stride):
    return nn.Conv2d(c_in, c_out - 1, 3, stride, 1)

def pair(c_in, c_out, stride):
    class Pair(nn.Conv2d):
        def forward(self, x):
            return super().forward(x), x
    return Pair(c_in, c_out, 3, stride, 1)

def no_stride(c_in, c_out):
    return nn.Conv2d(c_in, c_out, 3, 1, 1)

class Empty(nn.Module):
    def __init__(self, c_in, c_out, stride):
        super().__init__()
        self.stride, self.times = stride, c_out // c_in
    def forward(self, x):
        x = x[:, :, ::self.stride, ::self.stride]
        return x.repeat(1, self.times, 1, 1)

class Spoiled(Gelu):
    def forward(self, x):
        x = self.branch[1](self.branch[0](x)).exp()
        return self.shortcut(x.clone()) + self.branch[2](x) + x.zero_().sum()

class Undefined(Gelu):
    def forward(self, x):
        return super().forward(x).log()

three = 3
"""
CHANGED = UNITS.replace("self.branch(x)", "2 * self.branch(x)")
FILE = """
[scientific]
rows = [
  "original",
  { name = "gelu", make = "own_units:Gelu" },
  { name = "mine", pre = ["BN"], post = ["ReLU"] },
]
networks = [{ depth = 8, convs = 2, width = 4 }]
[nuisance]
seeds = [1, 2]
[fixed]
recipe = "digits"
hold_out = 237
[fixed.recipe_changes]
iterations = 4
batch = 16
ghost_batch = 16
drop_at = []
schedule = "cosine"
optimizer = "adamw"
nesterov = false
lr = 0.01
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "own_units.py").write_text(UNITS)
    (tmp_path / "own.toml").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "own_units", raising=False)
    return tmp_path


def small(**changes):
    recipe = {"iterations": 4, "ghost_batch": 16}
    return small_run(**{"row": "original", "recipe": recipe} | changes)


def test_an_own_unit_is_trained_recorded_and_reported_beside_the_papers(
    folder, capsys
):
    assert main(["ablate", "own.toml", "--save", "--device", "cpu"]) == 0
    assert "run 6 of 6" in capsys.readouterr().out
    records = load_records("own", "runs")
    lines = compare(records)
    assert [line.n for line in lines] == [2, 2, 2]
    (_, gelu), (_, mine), _ = (
        [r for r in records if r.row == row]
        for row in ("gelu", "mine", "original")
    )
    assert gelu.spec == "own_units:Gelu"
    assert gelu.config["unit"]["make"] == "own_units:Gelu"
    counted = sum(p.numel() for p in small_gelu().make_network().parameters())
    assert gelu.parameters == counted != small().plan.parameters
    assert len(gelu.profiles[0].gradient_norm) == 4
    spec = "BN conv BN ReLU conv ReLU (+)"
    assert (mine.spec, mine.tail) == (spec, "BN")
    assert mine.config["unit"] == {
        "pre": ["BN"],
        "post": ["ReLU"],
        "after": [],
        "on_shortcut": {"kind": "Scale", "value": 1.0},
        "on_branch": {"kind": "Scale", "value": 1.0},
    }
    for language in LANGUAGES:
        table = errors_table(lines, Strings(language))
        assert "mine" in [row[0] for row in table.body]
        assert spec in table.caption
        assert "own_units:Gelu" in table.caption
    assert main(["report", "own"]) == 0
    out = capsys.readouterr().out
    assert "gelu" in out
    assert "runs are recorded" not in out
    next(folder.glob("runs/own/**/gelu/seed-2.json")).unlink()
    assert main(["report", "own"]) == 0
    assert "5 of 6 runs are recorded" in capsys.readouterr().out
    assert main(["plot", "own", "-o", "own.svg"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("own.svg: 5 runs\n")
    assert "5 of 6 runs are recorded" in told.err
    (folder / "own_units.py").write_text(CHANGED)
    imported_again()
    assert main(["report", "own"]) == 0
    said = "of gelu, 1 record with other code than the file of own_units:Gelu"
    assert said in capsys.readouterr().out
    assert (folder / "own.svg").read_text().count("</svg>") == 1
    assert main(["ablate", "own.toml", "--dry-run", "--device", "cpu"]) == 2
    told = capsys.readouterr()
    assert "1 run to go, 4 recorded, 1 refused\n" in told.out
    assert "choose another --out or name of the row, or delete" in told.err
    other = FILE.replace('post = ["ReLU"]', 'after = ["ReLU"]')
    (folder / "own.toml").write_text(other)
    assert main(["ablate", "own.toml", "--device", "cpu"]) == 2
    assert "mine/seed-1.json is the record of another conf" in (
        " ".join(capsys.readouterr().err.split())
    )


def small_gelu(**changes):
    unit = OwnCode(make="own_units:Gelu")
    return small(row="gelu", unit=unit, **changes)


def test_weights_of_own_units_come_back_by_their_own_code(folder, capsys):
    execute(PlannedRun("one", small_gelu()), "runs", device="cpu")
    (file,) = folder.glob("runs/**/*.safetensors")
    make = OwnCode(make="own_units:Gelu").find()
    network = load_network(file, make=make)
    images = network.preprocess(load("digits").test_images[:8])
    assert network(images).shape == (8, 10)
    with pytest.raises(ValueError, match=r"made by .*own_units:Gelu"):
        load_network(file)
    with pytest.raises(ValueError, match="function or class itself; got 'own"):
        load_network(file, make="own_units:Gelu")
    with pytest.raises(ValueError, match=r"other weights, units\.0\.b"):
        load_network(file, make=OwnCode(make="own_units:Empty").find())
    with pytest.raises(ValueError, match="unit `own_units:Gelu` there, `c"):
        small(init=file)
    assert with_classes(network, 7)(images).shape == (8, 7)
    capsys.readouterr()
    assert main(["eval", str(file)]) == 2
    assert "on the command line to --make" in capsys.readouterr().err
    assert main(["eval", str(file), "--make", "own_units:Gelu"]) == 0
    told = capsys.readouterr().out
    assert "ResNet-8 of `own_units:Gelu`, test error" in told


def imported_again():
    """Return the unit as another process would import it."""
    del sys.modules["own_units"]
    return OwnCode(make="own_units:Gelu").find()


def test_a_unit_without_bn_ends_as_the_row_that_it_is_like(folder):
    like = {"full-preactivation": "BN ReLU", "original": ""}
    for row, tail in like.items():
        unit = OwnCode(make="own_units:Empty", like=row)
        assert small(row="empty", unit=unit).config["tail"] == tail


def test_a_file_that_is_edited_while_its_units_train_changes_no_record(folder):
    before = small_gelu().config["unit"]["code_sha256"]
    (folder / "own_units.py").write_text(CHANGED)
    assert small_gelu().config["unit"]["code_sha256"] == before
    imported_again()
    assert small_gelu().config["unit"]["code_sha256"] != before


def test_changed_code_of_a_unit_is_another_configuration(folder, caplog):
    execute(PlannedRun("one", small_gelu()), "runs", device="cpu")
    (file,) = folder.glob("runs/**/*.safetensors")
    make = OwnCode(make="own_units:Gelu").find()
    load_network(file, make=make)
    assert not caplog.messages
    said = '"""Units of mine."""\n# more of them later\n'
    (folder / "own_units.py").write_text(
        said + UNITS.replace("(nn.Module):", '(nn.Module):\n    "One."', 1)
    )
    load_network(file, make=imported_again())
    assert not execute(PlannedRun("one", small_gelu()), "runs", device="cpu")[
        1
    ]
    assert not caplog.messages
    (folder / "own_units.py").write_text(CHANGED)
    load_network(file, make=imported_again())
    (told,) = caplog.messages
    assert "the code that makes its units has changed" in told
    said = r"configuration \(the code of its unit has changed\)"
    with pytest.raises(ValueError, match=said):
        execute(PlannedRun("one", small_gelu()), "runs", device="cpu")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            "own_units:narrow",
            r"narrow\(4, 4, 1\) must map \(2, 4, 8, 8\) to \(2, 4, 8, 8\); "
            r"got \(2, 3, 8, 8\)",
        ),
        ("own_units:pair", r"to \(2, 4, 8, 8\); got a tuple"),
        (
            "own_units:no_stride",
            r"must return an nn.Module; called with \(channels in, channels "
            r"out, stride\), it raised TypeError: .* 2 positional arguments",
        ),
        ("torch:ones", "must return an nn.Module; got a Tensor"),
        (
            "own_units:Spoiled",
            r"must map \(2, 4, 8, 8\) .*, it raised RuntimeError: .* inplace",
        ),
        ("own_units:three", "must be a function or a class; got int"),
        ("own_units:nobody", "cannot be imported: AttributeError"),
        ("nowhere:Unit", "cannot be imported: ModuleNotFoundError"),
        ("Gelu", "must be package.module:name"),
        ("own_units.py:Gelu", "thing, without .py; got 'own_units.py:Gelu'"),
        (
            "own_units:Undefined",
            r"Undefined\(4, 4, 1\) must write finite numbers; got NaN for",
        ),
    ],
)
def test_what_makes_no_unit_is_refused_in_one_sentence(folder, make, said):
    with pytest.raises(ValueError, match=said) as refused:
        small(row="mine", unit=OwnCode(make=make)).make_network()
    assert "\n" not in str(refused.value)


def test_an_error_in_own_code_is_told_with_its_line_and_keeps_no_other_run(
    folder, capsys
):
    file = folder / "own.toml"
    file.write_text(FILE.replace("own_units:Gelu", "late_units:Late"))
    (folder / "late_units.py").write_text(
        "from own_units import Gelu\n"
        "class Late(Gelu):\n"
        "    def forward(self, x):\n"
        "        if self.training:\n"
        "            return x.missing\n"
        "        return super().forward(x)\n"
    )
    assert main(["ablate", "own.toml", "--device", "cpu"]) == 2
    out, err = capsys.readouterr()
    assert "4 finished, 2 failed" in out.splitlines()[-1]
    for line in err.splitlines():
        assert line.startswith("preact: AttributeError: 'Tensor' object has")
        assert line.endswith(" (late_units.py, line 5)")
    (folder / "lost_data.py").write_text("def lost():\n    return {}['x']\n")
    assert main(["train", "--data", "lost_data:lost"]) == 2
    said = "preact: KeyError: 'x' (lost_data.py, line 2)\n"
    assert capsys.readouterr().err == said


def test_a_mistake_of_ours_is_not_told_as_one_of_the_reader(monkeypatch):
    def wrong(options):
        return {}["ours"]

    monkeypatch.setattr("preact.typed.own_line", lambda error: "")
    monkeypatch.setattr("preact.cli.report.run", wrong)
    with pytest.raises(KeyError):
        main(["report"])


def test_units_without_parameters_are_told_of_once(folder, capsys):
    (folder / "own.toml").write_text(FILE.replace(":Gelu", ":Empty"))
    assert main(["ablate", "own.toml", "--device", "cpu"]) == 0
    told = capsys.readouterr().out.splitlines()
    said = "note: units by own_units:Empty have no parameters to train"
    assert told.count(said) == 1


def test_saved_memory_is_refused_for_own_units(folder):
    with pytest.raises(ValueError, match="'keep' for units that own code"):
        small_gelu(execution=Execution(memory="segment"))


def test_a_run_starts_from_the_weights_of_another(tmp_path):
    digits = load("digits")
    plan = small().plan
    network = Network(replace(plan, classes=7), seed=5)
    file = tmp_path / "first.safetensors"
    save(network, file)
    run = small(init=file)
    begun = run.make_network().state_dict()
    for name, value in network.state_dict().items():
        if not name.startswith("classifier"):
            assert torch.equal(begun[name], value), name
    assert begun["classifier.weight"].shape == (10, 16)
    assert run.config["init_sha256"] != small().config.get("init_sha256")
    assert "init_sha256" not in small().config
    record, _ = execute(PlannedRun("tuned", run), tmp_path, device="cpu")
    assert record.config["init_sha256"] == run.config["init_sha256"]
    assert any("of a file" in one.to for one in record.deviations)
    with pytest.raises(ValueError, match="must hold weights of this network"):
        small(init=file, row="full-preactivation")
    with pytest.raises(ValueError, match=r"has width 4 there, 8 here$"):
        small(init=file, width=8)
    with pytest.raises(ValueError, match=r"has tail of another kind$"):
        small(init=file, tail=("BN",))
    assert digits.classes == 10


def test_a_classifier_of_classes_with_other_names_is_new(tmp_path):
    file, digits = tmp_path / "first.safetensors", load("digits")
    network = Network(small().plan, seed=5)
    for names, kept in ((digits.class_names, True), ("abcdefghij", False)):
        named = replace(digits, class_names=tuple(names))
        network.preprocess = named.preprocessing("channel")
        save(network, file)
        begun = small(init=file).make_network().classifier.weight
        assert torch.equal(begun, network.classifier.weight) is kept


def test_how_weights_were_drawn_does_not_keep_a_run_from_them(tmp_path):
    file = tmp_path / "first.safetensors"
    save(Network(small().plan), file)
    run = small(init=file, recipe={"conventions": "paper"})
    assert run.plan.init != small().plan.init
    assert run.make_network().units


def test_another_classifier_keeps_the_normalization_no_names_no_gradients():
    network = Network(small().plan)
    network.preprocess = load("digits").preprocessing("channel")
    network(torch.zeros(2, *network.plan.image)).sum().backward()
    other = with_classes(network, 7)
    assert all(weight.grad is None for weight in other.parameters())
    assert torch.equal(other.preprocess.mean, network.preprocess.mean)
    assert other.preprocess.names == ()
    assert len(network.preprocess.names) == 10
    for classes in (0, -1, "7", 2.5):
        with pytest.raises(ValueError, match="classes must be a positive who"):
            with_classes(network, classes)


def test_images_that_are_held_out_are_not_trained_on():
    digits = load("digits")
    held = hold_out(digits, 237)
    together = torch.cat([held.train_images, held.test_images])
    ours = {bytes(image.numpy()) for image in digits.train_images}
    assert held.counts == (1200, 237)
    assert {bytes(image.numpy()) for image in together} == ours
    again = hold_out(digits, 237)
    assert again.sha256 == held.sha256 != digits.sha256
    with pytest.raises(ValueError, match="hold_out"):
        hold_out(digits, 1437)


@pytest.mark.parametrize(("batch", "ghost_batch"), [(96, 96), (128, 64)])
def test_a_batch_of_no_equal_parts_is_normalized_as_one(
    folder, batch, ghost_batch
):
    words = f"train --depth 8 --width 4 --iterations 2 --batch {batch}"
    assert main(words.split()) == 0
    (path,) = folder.glob("runs/train/**/seed-1.json")
    recipe = read_record(path).config["recipe"]
    assert (recipe["batch"], recipe["ghost_batch"]) == (batch, ghost_batch)


def test_adamw_resumes_bit_for_bit(tmp_path):
    recipe = {"optimizer": "adamw", "nesterov": False, "lr": 0.01}
    recipe |= {"ghost_batch": 16, "iterations": 6}
    run = small(recipe=recipe)
    whole = train(run, tmp_path / "whole")
    with pytest.raises(Stopped):
        train(run, tmp_path / "parts", report=stop_at(4), report_every=1)
    ended = train(run, tmp_path / "parts")
    for name, value in whole.weights.items():
        assert torch.equal(ended.weights[name], value), name


def test_data_of_ones_own_are_named_by_an_import_path(folder, capsys):
    (folder / "own_data.py").write_text(
        "from dataclasses import replace\n"
        "from preact.data import load\n"
        "def half():\n"
        "    return replace(load('digits'), name='half', label='half')\n"
        "def nothing():\n    return 3\n"
    )
    words = "train --data own_data:half --depth 8 --recipe digits --width 4"
    assert main([*words.split(), "--iterations", "2", "--out", "runs"]) == 0
    (path,) = folder.glob("runs/train/half/**/seed-1.json")
    assert read_record(path).data_label == "half"
    (kept,) = folder.glob("runs/train/half/**/seed-1.safetensors")
    assert main(["eval", str(kept), "--json"]) == 2  # a file runs no code
    assert "or package.module:name" in capsys.readouterr().err
    assert main(["eval", str(kept), "--data", "own_data:half", "--json"]) == 0
    error_pct = json.loads(capsys.readouterr().out)["test_error_pct"]
    assert error_pct == pytest.approx(read_record(path).test_error_pct)
    assert main(["train", "--data", "own_data:nothing", "--depth", "8"]) == 2
    assert "must return a preact.data.ImageSet" in capsys.readouterr().err


def test_predict_names_what_a_trained_network_sees(folder, capsys):
    from PIL import Image

    out = ["--depth", "8", "--width", "4", "--out", "runs"]
    assert main(["train", "--iterations", "60", *out]) == 0
    (kept,) = folder.rglob("*.safetensors")
    kept.rename("n.st")
    digits = load("digits")
    pixels = digits.train_images[:40]
    for i, image in enumerate(pixels):
        shades = (image[0].double() * 255 / 16).round().byte()  # 16 is white
        Image.fromarray(shades.numpy()).save(f"{i}.png")
    capsys.readouterr()
    files = [f"{i}.png" for i in range(40)]
    assert main(["predict", "n.st", *files, "--top", "1", "--json"]) == 0
    lines = [json.loads(s) for s in capsys.readouterr().out.splitlines()]
    network = load_network("n.st")
    with torch.no_grad():
        told = network(network.preprocess(pixels)).argmax(1).tolist()
    assert [[*line["classes"]] for line in lines] == [[str(n)] for n in told]
    assert main(["predict", "n.st", "3.png", "--top", "2"]) == 0
    said = capsys.readouterr().out
    assert re.fullmatch(r"3.png: \d \(\d+.\d %\), \d \(\d+.\d %\)\n", said)
    (code,) = re.findall(
        r"```python\n(network = preact.load\(FILE.*?)```",
        (ROOT / "docs" / "own.md").read_text("utf-8"),
        re.DOTALL,
    )
    names = {"preact": preact, "torch": torch, "FILE": "n.st"}
    exec(code.replace("two.png", "3.png"), names)
    assert names["name"] == str(told[3])
    Path("bad.png").write_text("GIF")
    files = ["3.png", "bad.png", "no.png", "4.png"]
    assert main(["predict", "n.st", *files]) == 2
    told = capsys.readouterr()
    assert [line[:6] for line in told.out.splitlines()] == ["3.png:", "4.png:"]
    assert "bad.png must be a JPEG or PNG" in told.err
    assert "no.png does not exist" in told.err
    assert main(["predict", "3.png", "n.st"]) == 2
    assert "first argument must be the weights" in capsys.readouterr().err
    save(Network(network.plan, seed=0), "bare.st")
    assert main(["predict", "bare.st", "0.png"]) == 2
    assert "does not say how its images" in capsys.readouterr().err


def test_a_picture_that_is_dark_on_light_blank_or_in_color_is_told(
    folder, capsys
):
    from PIL import Image

    main(["train", "--depth", "8", "--iterations", "2", "--out", "runs"])
    (kept,) = folder.rglob("*.safetensors")
    shades = load("digits").test_images[0, 0] * 15
    Image.fromarray(shades.numpy()).save("white.png")
    Image.fromarray(255 - shades.numpy()).save("black.png")
    capsys.readouterr()
    assert main(["predict", str(kept), "white.png", "black.png"]) == 0
    (warning,) = capsys.readouterr().err.splitlines()
    assert "black.png is dark on light" in warning
    assert "--invert" in warning
    shape = shades.numpy() > 100
    gray = Image.fromarray((140 + 105 * shape).astype("uint8"))
    gray.save("light-on-gray.png")
    assert main(["predict", str(kept), "light-on-gray.png"]) == 0
    assert capsys.readouterr().err == ""
    Image.new("L", (64, 8)).save("blank.png")
    wide = Image.open("white.png").resize((17, 8))
    wide.save("wide.png")
    chart = Image.new("L", (40, 20), 255)
    chart.paste(0, (5, 0, 35, 18))  # the white ground lies around the middle
    chart.paste(200, (18, 8, 22, 12))
    chart.save("chart.png")
    assert main(["predict", str(kept), "wide.png", "chart.png"]) == 0
    told = capsys.readouterr().err.splitlines()
    assert "wide.png is read in its middle square alone" in told[0]
    assert "chart.png is dark on light" in told[1]
    assert len(told) == 2
    parts = [Image.open("white.png")] * 2 + [Image.new("L", (8, 8))]
    Image.merge("RGB", parts).save("color.png")
    assert main(["predict", str(kept), "blank.png", "color.png"]) == 0
    blank, color = capsys.readouterr().err.splitlines()
    assert "blank.png is of one shade" in blank
    assert "color.png is in color, and the network was" in color
    main(["predict", str(kept), "white.png", "--json"])
    white = json.loads(capsys.readouterr().out)
    main(["predict", str(kept), "black.png", "--json", "--invert"])
    black = capsys.readouterr()
    assert [*json.loads(black.out)["classes"]] == [*white["classes"]]
    assert black.err == ""


def test_train_says_where_the_weights_are_and_other_files_lead_to_them(
    folder, capsys
):
    main(["train", "--depth", "8", "--iterations", "2", "--out", "runs"])
    (kept,) = folder.rglob("*.safetensors")
    kept = kept.relative_to(folder)
    assert f"\nweights: {kept}\n" in capsys.readouterr().out
    for other in (kept.with_suffix(".json"), kept.with_suffix(""), "runs"):
        assert main(["eval", str(other)]) == 2
        assert f"there are weights in {kept}\n" in capsys.readouterr().err
    kept.unlink()
    assert main(["eval", str(kept.with_suffix(".json"))]) == 2
    assert "ablate --save` keeps weights" in capsys.readouterr().err


def test_a_dry_run_without_images_of_ones_own_says_where_they_must_lie(
    folder, capsys
):
    text = FILE.replace("[fixed]\n", '[fixed]\ndata = "folders"\n')
    (folder / "own.toml").write_text(text)
    assert main(["ablate", "own.toml", "--dry-run"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("preact: data/train is missing: images must lie in")
