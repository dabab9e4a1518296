"""What the paper's tables say, in the words of the page.

Chapter `09-imagenet`.
"""

from preact import paper
from preact.book.page import words
from preact.figures import Table

NOTHING = "–"


def table_5() -> Table:
    """Table 5: networks on ImageNet, their crops and errors.

    Examples
    --------
    >>> from preact.book import setup
    >>> from preact.book.paper_tables import table_5
    >>> _ = setup("en")
    >>> table_5().body[0]
    ['ResNet-152', 'original', 'scale', '224', '23.0', '6.7']
    """
    say, body = words(), []
    for row in paper.read("table_5")["row"]:
        network, _, unit = row["method"].partition(", ")
        body.append(
            [
                network,
                say(f"table_5.{unit}") if unit else NOTHING,
                say(f"table_5.{row['augmentation']}"),
                str(row["test_crop"]),
                f"{row['top1_pct']:.1f}",
                f"{row['top5_pct']:.1f}",
            ]
        )
    names = ("unit", "training", "test_crop", "top1", "top5")
    head = [say("table.network"), *(say(f"table_5.{name}") for name in names)]
    return Table(head, body, say("table_5.caption"))
