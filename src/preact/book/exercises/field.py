"""Numbers answered in the page: a field that judges without a kernel.

What is expected, and how closely, is asked of the exercise's own checker.
Where no script runs, the page says how to answer in the cell.

Every chapter with exercises.
"""

import json
from html import escape

from preact.book.exercises.judge import Expected, checker
from preact.book.explorers import Html
from preact.book.page import words

SHARED = ("title", "label", "button", "right", "wrong", "empty", "no_number")


def expected_number(exercise: str) -> Expected | None:
    """Return what a checker compares a number with.

    Parameters
    ----------
    exercise : str
        A label with a checker.

    Returns
    -------
    Expected or None
        None if the exercise asks for something other than one number.
    """
    judge = checker(exercise)
    assert judge is not None
    try:
        judge(...)
    except Expected as expected:
        return expected
    except (TypeError, AttributeError):  # `...` is no function, no list
        return None
    return None


def answer_field(exercise: str) -> Html | None:
    """Return a field for the answer to a numeric exercise.

    Parameters
    ----------
    exercise : str
        A label with a checker.

    Returns
    -------
    Html or None
        In text: what to do in the cell. None if no number is asked for.
    """
    expected = expected_number(exercise)
    if expected is None:
        return None
    say = words()
    data = {
        "expected": expected.value,
        "rtol": expected.rtol,
        "words": {word: say.table[f"check.{word}"] for word in SHARED}
        | {
            word: say(f"exercise.{exercise}.{word}")
            for word in ("why", "hint")
        },
    }
    prompt = say("check.prompt")
    text = escape(json.dumps(data, ensure_ascii=False), quote=True)
    return Html(
        f'<div class="preact-explorer preact-answer" data-answer="{text}">'
        f"<p>{escape(prompt)}</p></div>",
        prompt,
    )
