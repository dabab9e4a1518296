"""Labs: a mutant's code, a prediction, and what the probe and a batch say.

The page's script asks, remembers the guess, and runs the fully connected
version; where no script runs, the question and the report stand one below
the other.

Chapter `12-find-the-bug`.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from typing import Any, NamedTuple

import numpy as np
import torch

from preact import reference
from preact.book.bugs.zoo import MUTANTS, RIGHT, right
from preact.book.engine import engine_plan
from preact.book.explorers import Html, mount
from preact.book.page import section, words
from preact.conformance import Property as P
from preact.conformance import Report, Verdict, probe
from preact.conformance.words import (
    VERDICTS,
    count_line,
    evidence_sentence,
    findings_in_order,
    fix,
    unasked_line,
)
from preact.figures import Picture, Table
from preact.figures.chart import Chart, draw
from preact.figures.svg import INK
from preact.plan import Conventions, NetworkPlan, cifar_plan, stack_plan
from preact.propagation import draw_batch, profile, run_units
from preact.reference.caches import Array
from preact.spec import BN, RELU, TABLE_2, Scale, UnitSpec

UNITS, WIDTH, BATCH = 50, 32, 64
SEEDS = tuple(range(5))
PRE = (BN, RELU)
ORIGINAL = "original"
RED = "#c4473a"
FULL = TABLE_2["full-preactivation"]
TICKS = {
    "signal": [0.1, 1, 10, 100, 1000, 1e4],
    "gradient": [1e-4, 1e-2, 1, 100, 1e4, 1e6, 1e8],
}
NOTHING = "none"  # the choice of a reader who finds no mistake


class Lab(NamedTuple):
    """One network as an exercise: the answer, and three others to choose.

    A `whole` file may be right: "none" is then among its choices.
    """

    answer: str
    others: tuple[str, str, str]
    whole: bool = False

    @property
    def choices(self) -> list[str]:
        """All four, in the order of a report."""
        order = [*P, NOTHING]
        return sorted((self.answer, *self.others), key=order.index)


LABS = {
    "averaged-sum": Lab(P.STREAM, (P.SIGN, P.OWN, P.GRADIENT)),
    "activated-shortcut": Lab(P.STREAM, (P.SIGN, P.WIDTH, P.FIRST)),
    "halved-shortcut": Lab(P.SHORTCUT, (P.SAME, P.WIDTH, P.GRADIENT)),
    "added-twice": Lab(P.SHORTCUT, (P.SIGN, P.SAME, P.OWN)),
    "detached-shortcut": Lab(P.GRADIENT, (P.SHORTCUT, P.STREAM, P.WIDTH)),
    "relu-after-sum": Lab(P.STREAM, (P.SHORTCUT, P.SIGN, P.LAST)),
    "ends-in-relu": Lab(P.SIGN, (P.STREAM, P.SHORTCUT, P.WIDTH)),
    "doubled-stem": Lab(P.FIRST, (P.WIDTH, P.BIAS, P.LAST)),
    "no-final-activation": Lab(P.LAST, (P.FIRST, P.UNUSED, P.STREAM)),
    "raw-projection": Lab(P.WIDTH, (P.SHORTCUT, P.STAGES, NOTHING), True),
    "identity-modules": Lab(NOTHING, (P.WIDTH, P.SHORTCUT, P.FIRST), True),
    "dropout-in-evaluation": Lab(
        P.EVALUATION, (P.STATISTICS, P.SIGN, NOTHING), True
    ),
}


ROOT_HALF = Scale(2**-0.5)
STACKS: dict[str, tuple[UnitSpec, dict[str, Any]]] = {  # ours, or other ends
    "averaged-sum": (
        UnitSpec(pre=PRE, on_shortcut=ROOT_HALF, on_branch=ROOT_HALF),
        {},
    ),
    "activated-shortcut": (TABLE_2["bn-after-addition"], {}),
    "halved-shortcut": (UnitSpec(pre=PRE, on_shortcut=Scale(0.5)), {}),
    "added-twice": (UnitSpec(pre=PRE, on_shortcut=Scale(2.0)), {}),
    "relu-after-sum": (UnitSpec(pre=PRE, after=(RELU,)), {"tail": PRE}),
    "ends-in-relu": (TABLE_2["relu-before-addition"], {}),
    "doubled-stem": (FULL, {"stem": PRE}),
    "no-final-activation": (FULL, {"tail": ()}),
}


def stack(name: str, units: int = UNITS, width: int = WIDTH) -> NetworkPlan:
    """Plan the fully connected version of one of `STACKS`."""
    spec, ends = STACKS[name]
    conventions = Conventions(**ends)
    return stack_plan(spec, units=units, width=width, conventions=conventions)


def meant(name: str, units: int = UNITS, width: int = WIDTH) -> NetworkPlan:
    """The fully connected stack that the author of a mutant meant."""
    return stack_plan(TABLE_2[MUTANTS[name].meant], units=units, width=width)


def fully_connected(
    name: str, units: int = UNITS, width: int = WIDTH
) -> dict[str, Any] | None:
    """Say a mutant as the page's engine reads it, as `engine_plan`.

    None if a mistake needs a change of width, or a random number, which the
    engine's units do not have.
    """
    if name in STACKS:
        plan = engine_plan(stack(name, units, width))
        factor = STACKS[name][0].on_branch
        if isinstance(factor, Scale) and factor != Scale(1.0):
            plan["post"] = [*plan["post"], f"x {factor.value!r}"]
        return plan
    if name == "detached-shortcut":
        return engine_plan(meant(name, units, width)) | {"returned": 0}
    return None


def source(name: str) -> str:
    """The code of a network, without the words that say what is wrong."""
    if LABS[name].whole:
        return whole_file(name)
    made = MUTANTS[name].make
    code = without_words(inspect.getsource(made))
    return code.replace(made.__name__, "Network", 1)


def whole_file(name: str) -> str:
    """A file as people write one: helpers, a unit, a network."""
    return "\n\n\n".join(parts_of_file(name))


def parts_of_file(name: str) -> tuple[str, str, str]:
    """What stands before the unit of a whole file, the unit, what follows.

    The file of a mutant is the right network with the mutant's methods in
    place of its own.
    """
    helpers: list[Any] = [right.conv3x3, right.conv1x1, right.sizes]
    if name in MUTANTS:
        unit: Any = MUTANTS[name].make
        methods = methods_of(inspect.getsource(unit.unit))
        code = inspect.getsource(right.PreUnit)
        for called, own in methods_of(code).items():
            code = code.replace(own, methods.get(called, own))
        network: Any = right.PreNet
    else:
        code = inspect.getsource(right.WithIdentity)
        network = right.with_identity
    head = """import torch.nn.functional as nnf
from torch import Tensor, nn

WIDTHS, UNITS = (16, 32, 64), 3
"""
    before = [head, *map(inspect.getsource, helpers)]
    return (
        "\n\n\n".join(map(without_words, before)),
        without_words(code),
        without_words(inspect.getsource(network)),
    )


def methods_of(text: str) -> dict[str, str]:
    """The methods of a class as they are written, each indented by four."""
    text = textwrap.dedent(text)
    (made,) = ast.parse(text).body
    assert isinstance(made, ast.ClassDef)
    lines = text.splitlines()
    return {
        node.name: "\n".join(lines[node.lineno - 1 : node.end_lineno])
        for node in made.body
        if isinstance(node, ast.FunctionDef)
    }


def without_words(text: str) -> str:
    """Take out docstrings, decorators, and what a type checker is told."""
    text = textwrap.dedent(text)
    text = re.sub(r"\A@.*?(?=^class )", "", text, flags=re.DOTALL | re.M)
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        if isinstance(
            node, ast.ClassDef | ast.FunctionDef
        ) and ast.get_docstring(node):
            docstring = node.body[0]
            for i in range(
                docstring.lineno - 1, docstring.end_lineno or docstring.lineno
            ):
                lines[i] = ""
    code = "\n".join(line.partition("  # type: ignore")[0] for line in lines)
    while "\n\n\n" in code:
        code = code.replace("\n\n\n", "\n\n")
    return re.sub(r":\n\n", ":\n", code).strip()


@cache
def report(name: str) -> Report:
    """Probe a mutant, or the right network of a row; seed 0."""
    specimen = {**RIGHT, **MUTANTS}[name]
    torch.manual_seed(0)
    return probe(specimen.make(), row=specimen.meant)


def report_lines(name: str) -> Iterator[list[str]]:
    """What the probe answers with no, a list of lines each; the repair.

    That it is another row, or none, says least and comes last.
    """
    say = words()
    found = findings_in_order(report(name), say)
    for finding, lines in sorted(found, key=lambda f: f[0].property == P.ROW):
        if finding.verdict is Verdict.NO:
            yield [line.strip() for line in lines]
    if name not in MUTANTS:
        yield [say("lab.nothing", all=len(report(name).findings))]
        return
    row = "original" if MUTANTS[name].meant == ORIGINAL else "pre-activation"
    yield [say("lab.repaired", all=len(report(row).findings))]


def answers(name: str) -> str:
    """The same as HTML: the answer, and a list of what belongs to it."""
    return "".join(
        f"<p>{marked(first)}</p>" + (f"<ul>{items}</ul>" if items else "")
        for first, *rest in report_lines(name)
        for items in ["".join(f"<li>{marked(line)}</li>" for line in rest)]
    )


def marked(line: str) -> str:
    """Escape a line; what stands in backticks is code."""
    return re.sub("`([^`]*)`", r"<code>\1</code>", escape(line))


def highlighted(code: str) -> str:
    """Python as HTML, in the colors of the page's own cells."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    return str(highlight(code, PythonLexer(), HtmlFormatter()))


def shown(name: str) -> str:
    """The code of a lab as HTML; of a whole file only the unit is open."""
    if not LABS[name].whole:
        return highlighted(source(name))
    before, unit, after = parts_of_file(name)
    return (
        f"{highlighted(unit)}<details><summary>{escape(words()('lab.rest'))}"
        f"</summary>{highlighted(before)}{highlighted(after)}</details>"
    )


def lab(number: int) -> Html:
    """Read a network, predict which answer is no, then see the evidence.

    By its place in `LABS`, from 1 on: the network's name would give it away.
    """
    name, asked = list(LABS.items())[number - 1]
    say = words()
    choices = {
        str(c): say("lab.none" if c == NOTHING else f"probe_ask.{c}")
        for c in asked.choices
    }
    plan = fully_connected(name)
    row = {**RIGHT, **MUTANTS}[name].meant
    own = section("lab")
    if name not in MUTANTS:
        own["no_curves"] = ""
    data = {
        "name": name,
        "words": own
        | {
            key: say(f"figure.{key}")
            for key in ("signal", "gradient", "depth")
        },
        "choices": choices,
        "answer": str(asked.answer),
        "why": {str(c): say(f"lab_why.{c}") for c in asked.others},
        "plan": plan,
        "meant": plan and engine_plan(meant(name)),
        "batch": BATCH,
        "ticks": TICKS,
    }
    key = "lab.whole" if asked.whole else "lab.title"
    title = say(key, number=number, row=say(f"row.{row}"))
    listed = "".join(f"<li>{escape(ask)}</li>" for ask in choices.values())
    return mount(
        "lab",
        title,
        data,
        f"<h4>{escape(title)}</h4>{shown(name)}"
        f'<div class="asked"><p>{escape(say("lab.ask"))}</p>'
        f"<ul>{listed}</ul></div>"
        f'<details class="report"><summary>{escape(say("lab.report"))}'
        f"</summary>{answers(name)}</details>",
        "\n".join([title, "", source(name)]),
    )


def report_card(report: Report, *, every: bool = False) -> Table:
    """Set a report as a table: what is not yes, or `every` answer."""
    say, body = words(), []
    for finding, _ in findings_in_order(report, say):
        if every or finding.verdict is not Verdict.YES:
            row = [
                say(f"probe_ask.{finding.property}"),
                say(VERDICTS[finding.verdict]),
                evidence_sentence(finding, say),
            ]
            no = finding.verdict is Verdict.NO
            row += [] if every else [fix(finding, say) if no else ""]
            body.append([cell.replace("`", "") for cell in row])
    head = [say(f"bugs.{word}") for word in ("question", "verdict", "said")]
    head += [] if every else [say("bugs.repair")]
    counts = [count_line(report, say)]
    if report.unasked:
        counts.append(unasked_line(report, say))
    return Table(head, body, say("punctuation.semicolon").join(counts))


def answers_grid() -> Picture:
    """Mark in a grid which answers are no, for all mutants of the zoo.

    An answer that is yes has no mark; the questions are the columns.
    """
    say, questions = words(), [str(p) for p in P]
    answers = {
        name: {
            str(finding.property): str(finding.verdict)
            for finding in report(name).findings
            if finding.verdict is not Verdict.YES
        }
        for name in MUTANTS
    }
    marks: Any = {"no": {"color": RED, "marker": "o"}}
    marks["could not tell"] = {"color": INK, "marker": "o", "mfc": "none"}

    def on(chart: Chart) -> None:
        (panel,) = chart.panels
        ax = panel.ax
        for y, (name, given) in enumerate(answers.items()):
            for question, verdict in given.items():
                x, told = [questions.index(question)], ([question], [name])
                style = marks[verdict] | {"ls": "", "ms": 5.5}
                panel.plot(x, [y], name=verdict, told=told, **style)
        turned = {"rotation": 60, "ha": "left", "rotation_mode": "anchor"}
        ax.set_xticks(range(len(questions)), questions, **turned)
        ax.set_yticks(range(len(answers)), list(answers))
        ax.tick_params(length=0, labelsize=8.5)
        ax.xaxis.tick_top()
        ax.set(xlim=(-0.6, len(questions) - 0.4))
        ax.set(ylim=(len(answers) - 0.4, -0.6))

    each = [
        say("bugs.alt_one", name=name, questions=say.join(list(given)))
        for name, given in answers.items()
    ]
    alt = say("bugs.alt_matrix", each=say.join(each))
    return draw(on, (168, 4.6 * len(answers) + 45), alt)


@cache
def growth(
    name: str = "", seeds: tuple[int, ...] = SEEDS, batch: int = BATCH
) -> Array:
    """Growth of the gradient in a fully connected version, by seed.

    |dE/dx_0| / |dE/dx_L| of a fresh network on a fresh batch: of one of
    `STACKS`, or of full pre-activation, "", which most of them meant.
    """
    plan = stack(name) if name else meant("averaged-sum")
    ratios = [
        profile(plan, batch=batch, seed=seed).gradient_ratio for seed in seeds
    ]
    return np.array(ratios)


def predicted(name: str = "") -> float:
    """Growth by Equation (3.2), with factors on shortcut and branch."""
    spec = STACKS[name][0] if name else FULL
    assert isinstance(spec.on_shortcut, Scale)
    assert isinstance(spec.on_branch, Scale)
    kept, added = spec.on_shortcut.value**2, spec.on_branch.value**2
    left = 1 - 1 / np.pi  # variance of what a branch adds
    variance = square = 1.0
    for _ in range(UNITS):
        square *= kept + added / (left * variance)
        variance = kept * variance + added * left
    return float(np.sqrt(square))


def through_branches(
    seeds: Sequence[int] = SEEDS,
) -> tuple[Array, Array]:
    """Find what is left of the gradient behind detached shortcuts, by seed.

    |dE/dx_0| / |dE/dx_L| of fresh full pre-activation if no gradient returns
    along a shortcut; and the percentage of |dE/dx_0|^2 that the five images
    with the largest gradients have.
    """
    plan, left, share = meant("detached-shortcut"), [], []
    for seed in seeds:
        params = reference.initialize(plan, seed)
        x, labels = draw_batch(plan, BATCH, seed)
        gradient = reference.propagate(plan, params, x, labels)[2][-1]
        last = np.linalg.norm(gradient)
        _, caches = run_units(plan, params, x)
        for unit, kept in zip(plan.units[::-1], caches[::-1], strict=True):
            both, _ = reference.unit_backward(unit, gradient, kept)
            gradient = both - gradient
        images = np.sort((gradient.reshape(BATCH, -1) ** 2).sum(axis=1))
        left.append(np.linalg.norm(gradient) / last)
        share.append(100 * images[-5:].sum() / images.sum())
    return np.array(left), np.array(share)


def different_size() -> list[str]:
    """The mutants whose number of parameters is not that of what was meant."""
    wrong = []
    for name, mutant in MUTANTS.items():
        bare = mutant.meant == "full-preactivation"
        conventions = Conventions(projection="conv" if bare else "conv BN")
        plan = cifar_plan(
            mutant.meant, depth=20, convs=2, conventions=conventions
        )
        if report(name).parameters != plan.parameters:
            wrong.append(name)
    return wrong
