"""Exercise checkers: each says whether an answer is right, and why.

An answer is a number or the reader's own function, which is run on random
input from a fixed seed and compared with the package. Each chapter has a
module of checkers, `exercises` in its room; importing it registers them. A
number is also answered in the page, where no kernel runs.

Every chapter.
"""

from preact.book.exercises.field import answer_field
from preact.book.exercises.judge import NoNumber, checker, labels
from preact.book.page import show, words

__all__ = ["Verdict", "check"]


class Verdict:
    """Truth of a check; a cell that ends in one shows nothing more.

    Parameters
    ----------
    right : bool
        Whether the answer is right.

    Examples
    --------
    >>> import math
    >>> from preact.book import check
    >>> verdict = check("signal-4", math.comb(54, 2))  # doctest: +ELLIPSIS
    Right. The most numerous paths run through half of the branches, ...
    >>> bool(verdict)
    True
    """

    def __init__(self, right: bool) -> None:
        self.right = right

    def __bool__(self) -> bool:
        return self.right

    def _ipython_display_(self) -> None:
        pass


def check(exercise: str, answer: object) -> Verdict:
    """Judge an answer, print the verdict in the page's language, return it.

    Parameters
    ----------
    exercise : str
        Its label, for example "units-1".
    answer : object
        A number or a function, as the exercise asks; `...` says what to do,
        and shows a field for a number.

    Raises
    ------
    ValueError
        If there is no such exercise.

    Examples
    --------
    >>> from preact.book import check
    >>> verdict = check("signal-4", 54)
    Not yet: got 54. The number of pairs among 54.
    >>> verdict = check("signal-4", 54 * 53 / 2)  # doctest: +ELLIPSIS
    Right. The most numerous paths run through half of the branches, ...
    """
    say = words()
    judge = checker(exercise)
    if judge is None:
        known = ", ".join(labels())
        raise ValueError(say("check.unknown", known=known, got=repr(exercise)))
    if answer is ...:
        field = answer_field(exercise)
        if field is None:
            print(say("check.prompt"))  # noqa: T201
        else:
            show(field)
        return Verdict(False)
    hint = say(f"exercise.{exercise}.hint")
    try:
        right, got = judge(answer)
    except NoNumber as error:
        print(say("check.no_number", got=str(error)))  # noqa: T201
        return Verdict(False)
    except Exception as error:  # the reader's own code may fail in any way
        text = f"{type(error).__name__}: {error}"
        print(say("check.error", error=text, hint=hint))  # noqa: T201
        return Verdict(False)
    if right:
        why = say(f"exercise.{exercise}.why")
        print(say("check.right", why=why))  # noqa: T201
    else:
        print(say("check.wrong", got=got, hint=hint))  # noqa: T201
    return Verdict(bool(right))
