"""One row of a table of our errors.

Chapters `05-shortcuts` and `09-training`.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from preact.paper import FAIL_ERROR_PCT

# Quantiles of Student's t, 97.5 %, by degrees of freedom from 2.
T = (4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)


@dataclass(frozen=True, kw_only=True)
class Line:
    """One row of a table: all seeds of one network, and the paper's error.

    Parameters
    ----------
    row, spec, tail, depth, convs, width, data_label : str and int
        As of `preact.records.Record`.
    errors_pct : tuple of float
        Test errors of the last iteration, by seed.
    paper_data : str
        The paper's data set that ours stands beside; "" is none.
    paper_has, paper_pct : bool and float or None
        Whether the paper has an error of this row and network, with this
        tail; that error, None where it prints "fail".
    settings : tuple of str
        What tells it from other lines of the same row and network, for
        example "execution.precision bf16".
    cut_short : bool
        Whether it ended before the paper's last iteration, on CIFAR, or was
        asked for fewer iterations than its recipe has.
    diverged : int
        How many runs ended early, since their loss was not finite.
    lr : float or None
        The recipe's learning rate, where one is known.

    Examples
    --------
    >>> from preact.records.compare import compare, load_records
    >>> lines = compare(load_records("digits_table_2"))
    >>> line = lines[0]
    >>> line.row, line.n, round(line.median, 2), round(line.std, 2)
    ('original', 5, 69.72, 5.82)
    >>> line.fails, line.paper_data, line.paper_pct
    (True, 'CIFAR-10', 6.61)
    """

    row: str
    spec: str
    tail: str
    depth: int
    convs: int
    width: int
    data_label: str
    errors_pct: tuple[float, ...]
    paper_data: str
    paper_has: bool
    paper_pct: float | None
    settings: tuple[str, ...] = ()
    cut_short: bool = False
    diverged: int = 0
    lr: float | None = None

    @property
    def n(self) -> int:
        return len(self.errors_pct)

    @property
    def median(self) -> float:
        return statistics.median(self.errors_pct)

    @property
    def mean(self) -> float:
        return statistics.fmean(self.errors_pct)

    @property
    def std(self) -> float | None:
        """Deviation of the sample; None of a single run."""
        return statistics.stdev(self.errors_pct) if self.n > 1 else None

    @property
    def half_interval(self) -> float | None:
        """Half of the 95 % interval of the mean; None of one or two runs."""
        return half_interval(self.errors_pct)

    @property
    def fails(self) -> bool:
        """Whether the paper would have printed "fail".

        It says so of whole runs; one of a few epochs has no time to succeed.
        """
        return self.median > FAIL_ERROR_PCT and not self.cut_short


def half_interval(values: Sequence[float]) -> float | None:
    """Half of the 95 % interval of a mean, by Student's t.

    None for one or two values, of which it is wider than anything that is
    compared; beyond eleven by the normal quantile and its correction.
    """
    freedom = len(values) - 1
    if freedom < 2:
        return None
    t = T[freedom - 2] if freedom < len(T) + 2 else 1.96 + 2.4 / freedom
    return t * statistics.stdev(values) / math.sqrt(len(values))
