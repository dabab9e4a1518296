"""Explorers alive in a notebook, by anywidget.

A page of the book brings its scripts along. A notebook has none, so each
explorer hands it the same scripts as a widget: `widget.js` and `widget.css`,
which `make notebooks` bundles. What a page asks its worker, an explorer may
ask the kernel. Where there is no kernel or no anywidget, and while the book is
built, the markup is shown as it is.
"""

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

BUILD = "PREACT_BUILD"
"""Environment variable that is set while the book's build runs a chapter."""

Work = Callable[[Any], Iterator[object]]
"""What answers one message of an explorer, with some of its own."""


def view(markup: str, work: Work | None = None) -> dict[str, Any]:
    """Return what a notebook shows as a widget, by MIME type.

    `work` does in the kernel what a worker does in the page. Nothing where
    nobody could show a widget.
    """
    if not is_live():
        return {}
    try:
        make = _make()
    except ImportError:
        return {}
    shown = make(work, markup=markup)._repr_mimebundle_()[0]
    return {kind: data for kind, data in shown.items() if "widget" in kind}


def is_live() -> bool:
    """Whether a reader runs a notebook; a build is nobody."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    return BUILD not in os.environ and hasattr(get_ipython(), "kernel")


def is_missing() -> bool:
    """Whether a reader's notebook lacks what keeps explorers alive."""
    return is_live() and find_spec("anywidget") is None


@cache
def _make() -> Any:
    """Return the class of all explorers; an ImportError without anywidget."""
    import anywidget
    from traitlets import Bool, Unicode

    here = files("preact.book")

    class Explorer(anywidget.AnyWidget):
        _esm = here.joinpath("widget.js").read_text("utf-8")
        _css = here.joinpath("widget.css").read_text("utf-8")
        markup = Unicode().tag(sync=True)
        asks = Bool().tag(sync=True)

        def __init__(self, work: Work | None, **traits: object) -> None:
            super().__init__(asks=work is not None, **traits)
            self.work = work
            self.tasks: dict[float, asyncio.Task[None]] = {}
            self.on_msg(self.hear)

        def hear(self, _: object, message: Any, __: object) -> None:
            """Begin what a worker is asked, or end it."""
            worker = message["worker"]
            if "data" in message:
                task = asyncio.get_running_loop().create_task(
                    self.answer(worker, message["data"])
                )
                self.tasks[worker] = task
            elif worker in self.tasks:
                self.tasks.pop(worker).cancel()

        async def answer(self, worker: float, data: object) -> None:
            """Send what there is to say, and hear others in between."""
            assert self.work
            try:
                for news in self.work(data):
                    # as text: a number may be NaN
                    self.send({"worker": worker, "news": json.dumps(news)})
                    await asyncio.sleep(0)
            except Exception as error:
                self.send({"worker": worker, "error": repr(error)})
            finally:
                self.tasks.pop(worker, None)

    return Explorer
