import pytest

from preact.cli import main


def run(capsys, *arguments):
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_plan_prints_the_counts_of_resnet_1001(capsys):
    code, out, _ = run(capsys, "plan", "--depth", "1001")
    assert code == 0
    assert (
        "333 units (111 a stage), 10,327,706 parameters, "
        "1,487.85 M multiply-adds an image"
    ) in out
    assert "BN ReLU conv 1x1 BN ReLU conv 3x3 BN ReLU conv 1x1 (+)" in out


def test_plan_without_a_depth_lists_the_papers_networks(capsys):
    code, out, _ = run(capsys, "plan")
    assert code == 0
    for count in ("1,727,962", "1,703,258", "10,327,706", "244.50 M"):
        assert count in out


def test_plan_knows_every_row_and_imagenet(capsys):
    row = ("--row", "exclusive-gating-b-6")
    assert (
        "1-g(x) on shortcut" in run(capsys, "plan", "--depth", "20", *row)[1]
    )
    out = run(capsys, "plan", "--imagenet", "--depth", "200")[1]
    assert "66 units (3+24+36+3)" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--depth", "1000"], "depth must be 9n + 2 for 3 convolutions"),
        (["--depth", "20", "--row", "preact"], "got 'preact' (near it:"),
        (["--depth", "34", "--imagenet"], "50, 101, 152, 200; got 34"),
        (["--depth", "20", "--convs", "5"], "convs must be one of 1, 2, 3"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(capsys, arguments, message):
    code, out, err = run(capsys, "plan", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1
