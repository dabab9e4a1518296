"""Pictures of data they are handed: pure functions `(data, strings)`.

No file is read, no seed set, nothing computed that a test would want to see.
A picture is inline SVG, its text real text in the page's font, its ink the
page's ink (`currentColor`), so dark mode is right; it carries its own
alternative text, and the numbers that it draws.

Examples
--------
>>> from preact.figures import errors_table
>>> from preact.records.compare import compare, load_records
>>> from preact.strings import Strings
>>> table = errors_table(compare(load_records("digits_depth")), Strings("en"))
>>> table.head[:2]
['network', 'row']

Every chapter. What one chapter alone draws stands in that chapter's room,
`preact.book.<name>.figures`.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from preact.figures.propagation import signal_and_gradient
    from preact.figures.style import Picture
    from preact.figures.tables import Table, errors_table, network_table
    from preact.figures.units import unit_diagram
    from preact.figures.variants import arm_name

__all__ = [
    "Picture",
    "Table",
    "arm_name",
    "errors_table",
    "network_table",
    "signal_and_gradient",
    "unit_diagram",
]


def __getattr__(name: str) -> object:
    """Load a picture's file when it is asked for: a table needs none.

    By plain imports, which the cache of executed chapters follows.
    """
    match name:
        case "Picture":
            from preact.figures import style

            return style.Picture
        case "unit_diagram":
            from preact.figures import units

            return units.unit_diagram
        case "arm_name":
            from preact.figures import variants

            return variants.arm_name
        case "Table" | "errors_table" | "network_table":
            from preact.figures import tables

            return getattr(tables, name)
        case _ if name in __all__:
            from preact.figures import propagation

            return getattr(propagation, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
