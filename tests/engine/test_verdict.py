"""What the playground says of two networks that were trained."""

from engine.calls import evaluate, needs_node
from preact.strings import Strings

pytestmark = needs_node
UNSEEN = 360
ARM = {
    "row": "original",
    "name": "original",
    "shortcut": "1",
    "tail": ["BN"],
    "units": "5",
    "lr": "0.1",
    "seed": "0",
}


def say(function, arguments):
    """Call a function of the playground's verdict with the English words."""
    shared = {"percent": "{value} %", "list": ", ", "units": "units"}
    table = Strings("en").table
    own = {
        key.removeprefix("playground."): word
        for key, word in table.items()
        if key.startswith("playground.")
    }
    return evaluate(
        "* as verdict",
        "src/preact/book/playground/verdict.js",
        f"({{ words, given }}) => verdict.{function}(words, ...given)",
        {"words": own | shared, "given": arguments},
    )


def run(wrong=36, opened=1.0):
    return {"test": wrong / UNSEEN, "loss": [1.0], "open": [[1.0, opened]]}


def judge(both, found):
    result = {"runs": both, "unseen": UNSEEN, "steps": 60, "found": found}
    return say("verdict", [result])


def test_one_digit_is_not_called_one_digits():
    assert " 1 digit apart" in judge([run(36), run(37)], ["seed"])
    assert " 2 digits apart" in judge([run(36), run(38)], ["seed"])


def test_equal_networks_are_not_said_to_be_close():
    assert "Too close" not in judge([run(), run()], [])
    assert "Too close" in judge([run(), run()], ["seed"])


def test_more_units_close_paths_only_where_a_relu_follows_the_addition():
    arms = [ARM, ARM | {"units": "50"}]
    reasons = [
        say("reason", [arms, [run(opened=share)] * 2, UNSEEN])
        for share in (0.4, 1.0)
    ]
    assert "closes some more" in reasons[0]
    assert "close nothing" in reasons[1]
    assert "No ReLU follows" not in reasons[0]


def test_a_first_race_is_said_to_be_one():
    assert say("tally", [["a"]]) == "One seed so far."
    assert "2 races" in say("tally", [["a", "b"]])
