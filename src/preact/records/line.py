"""One row of a table of our errors.

Chapters `05-shortcuts` and `08-training`.
"""

import statistics
from dataclasses import dataclass

from preact.paper import FAIL_ERROR_PCT


@dataclass(frozen=True, kw_only=True)
class Line:
    """One row of a table: all seeds of one network, and the paper's error.

    Parameters
    ----------
    tail : str
        What stands before the classifier; "" is nothing.
    errors_pct : tuple of float
        Test errors of the last iteration, by seed.
    paper_data : str
        The paper's data set that ours stands beside; "" is none.
    paper_pct : float or None
        The paper's error; None where it prints "fail", or if `paper_has` is
        False, nothing.
    diverged : int
        How many runs ended early, since their loss was not finite.
    lr : float or None
        The recipe's learning rate, where one is known.
    cut_short : bool
        Whether it ended before the paper's last iteration, on CIFAR.
    settings : tuple of str
        What tells it from other lines of the same row and network, for
        example "execution.precision bf16".

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
    def fails(self) -> bool:
        """Whether the paper would have printed "fail".

        It says so of whole runs; one of a few epochs has no time to succeed.
        """
        return self.median > FAIL_ERROR_PCT and not self.cut_short
