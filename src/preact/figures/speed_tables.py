"""The table of times of contestants."""

from collections.abc import Mapping
from typing import Any

from preact.figures.tables import Table
from preact.strings import Strings


def times_table(record: Mapping[str, Any], strings: Strings) -> Table:
    """Times of `preact bench`, and how they compare with the better peer.

    Milliseconds of a step, and millions of bytes for an image.

    Parameters
    ----------
    record : dict
        As `preact bench --record` writes it; on a GPU with kernel launches
        and the time that the fewest bytes would take.
    strings : Strings
        The words of the page's language.

    Examples
    --------
    >>> from preact.figures import times_table
    >>> from preact.records.speed import load_times
    >>> from preact.strings import Strings
    >>> table = times_table(load_times("cpu-164"), Strings("en"))
    >>> table.head[:3], table.body[0][0]
    (['network', 'training step, ms', '×'], 'pytorchcv, as shipped')
    """
    rows = record["rows"]
    body: list[list[str]] = [[row["name"]] for row in rows]
    for field in ("train_ms_min", "forward_ms_min"):
        best = min((r[field] for r in rows if r["peer"]), default=None)
        for line, row in zip(body, rows, strict=True):
            times = "" if best is None else f"{best / row[field]:.2f}"
            line += [f"{row[field]:.0f}", times]
    for field in ("kept_bytes_per_image", "peak_bytes_per_image"):
        for line, row in zip(body, rows, strict=True):
            n = row[field]
            line.append("" if n is None else f"{n / 1e6:.2f}")
    names = ["step_ms", "times", "forward_ms", "times", "kept_mb", "peak_mb"]
    if "limit_ms" in record:
        names += ["launches", "of_limit"]
        for line, row in zip(body, rows, strict=True):
            share = 100 * record["limit_ms"] / row["train_ms_min"]
            line += [f"{row['launches']:,}", f"{share:.0f}"]
    head = [strings("table.network")]
    head += [strings(f"table.{name}") for name in names]
    named = ("network", "batch", "precision", "threads", "device", "rounds")
    values = {name: record[name] for name in named}
    return Table(head, body, strings("table.timed", **values))
