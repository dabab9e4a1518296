"""What more than one chapter, `07-depth` first, reads in the records."""

from preact.book.panels import FINAL_BN
from preact.records import Record
from preact.records.compare import load_records

AT_RATES = ("original", "no-relu-after-addition", "full-preactivation")


def growth_at_start(run: Record) -> float:
    """|g_0| / |g_L| of the very network of a run, at iteration 0."""
    start = next(p for p in run.profiles if p.iteration == 0)
    first, last = start.gradient_norm[0], start.gradient_norm[-1]
    assert first is not None
    assert last is not None
    return first / last


def runs_at(
    depth: int, lr: float, experiment: str = "digits_rates"
) -> dict[str, list[Record]]:
    """Gather the runs of each row without and with a BN at the end, by arm.

    What pre-activation ends with by itself, BN and ReLU, has the BN.
    """
    runs: dict[str, list[Record]] = {
        row + end: [] for row in AT_RATES for end in ("", FINAL_BN)
    }
    for run in load_records(experiment):
        arm = run.row + (FINAL_BN if "BN" in run.tail else "")
        at = run.depth, run.config["recipe"]["lr"]
        if at == (depth, lr) and arm in runs:
            runs[arm].append(run)
    return runs
