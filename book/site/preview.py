"""The picture that a link to the book brings along where it is shared.

The cover's upper maps: the gradient of two networks of 1001 layers, by unit
and by iteration, from the records. It has the networks' name and no sentence,
so that it serves all editions.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap

from preact.book.cover import DEPTH, ROWS, recorded_course
from preact.book.cover.figures import FULL, LOUD, QUIET

NAME = "preview.png"
WIDTH, HEIGHT = 1200, 630  # pixels, as those who show previews ask for
PAPER, INK = "#fdfcf9", "#22252b"


def preview_tags(base: str, alt: str) -> dict[str, str]:
    """Return what a page's head says of the picture; `base` ends with `/`."""
    return {
        "og:image": base + NAME,
        "og:image:width": str(WIDTH),
        "og:image:height": str(HEIGHT),
        "og:image:alt": alt,
    }


def write_preview(site: Path) -> None:
    """Draw the picture into the site's root."""
    colors = LinearSegmentedColormap.from_list("", [QUIET, PAPER, LOUD])
    figure, panels = plt.subplots(
        len(ROWS), 1, figsize=(WIDTH / 100, HEIGHT / 100), facecolor=PAPER
    )
    for panel, row in zip(panels, ROWS, strict=True):
        moments, course = recorded_course(row)
        with np.errstate(divide="ignore"):  # no gradient at all: at its palest
            powers = np.log10(course.gradient)
        panel.imshow(
            powers,
            cmap=colors,
            vmin=-FULL,
            vmax=FULL,
            aspect="auto",
            interpolation="nearest",
        )
        panel.set_xticks([])
        panel.set_yticks(
            range(len(moments)), [str(i) for i in moments], size=11
        )
        panel.tick_params(length=0, colors=INK)
        panel.set_frame_on(False)
    figure.suptitle(
        f"ResNet-{DEPTH}",
        x=0.055,
        ha="left",
        size=34,
        color=INK,
        weight="bold",
    )
    figure.subplots_adjust(0.06, 0.04, 0.97, 0.86, hspace=0.1)
    figure.savefig(site / NAME, dpi=100, metadata={"Software": None})
    plt.close(figure)
