"""Probe a network in a process of its own, with limits.

What a network does to its process (end it, hang, crash, use up the memory)
is then one sentence, and what it prints stands in nobody's output. This
guards against accidents, not against malice: whoever wants to deceive runs in
the same process as the probe.
"""

import faulthandler
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from preact.conformance.report import Report
from preact.typed import parse, raised

SECONDS = 600.0
"""How long a probe may take, unless somebody says otherwise."""
# -P keeps it from importing `json` from the folder where the user stands.
CHILD = (
    "import json, sys; request = json.loads(sys.argv.pop()); "
    "sys.path[:] = request.pop('path'); "
    "from preact.conformance.isolated import answer; answer(**request)"
)


def probe_isolated(
    address: str,
    image: Sequence[int],
    *,
    row: str = "",
    seconds: float = SECONDS,
    gibibytes: float | None = None,
) -> Report:
    """Load the network of an address, and probe it in a child process.

    The child is killed after so many seconds. It may allocate so many
    gibibytes, by default half of the machine's memory; only Linux enforces
    that. Refuse, in one sentence, what leaves no report.
    """
    for name, value in (
        ("time limit in seconds", seconds),
        ("memory limit in GiB", gibibytes),
    ):
        if value is not None and not 0 < value <= 1e6:
            raise ValueError(
                f"the {name} must be above 0 and at most 1,000,000; got "
                f"{value:g}"
            )
    # As we look for modules, but for this folder: `python -m` looks there
    # first, and a file `timm.py` would answer for the package. An address of
    # one's own is looked up there by `load`.
    here, home = Path.cwd(), str(Path(__file__).parents[2])
    request: dict[str, object]
    path = [p for p in sys.path if p and Path(p).resolve() != here]
    with TemporaryDirectory(prefix="preact-") as folder:
        file = Path(folder, "answer.json")
        request = {"path": [*path, home], "address": address, "row": row}
        request |= {"image": tuple(image), "file": str(file)}
        request |= {"seconds": seconds, "gibibytes": gibibytes}
        child = subprocess.Popen(
            [sys.executable, "-P", "-c", CHILD, json.dumps(request)],
            stdin=subprocess.DEVNULL,
            stdout=2,  # a network's prints are no answer
            start_new_session=True,  # so that its own children end with it
        )
        try:
            status = child.wait(seconds)
        except subprocess.TimeoutExpired:
            raise ValueError(
                f"{address} must be probed within the limit; it took more "
                f"than {seconds:g} s"
            ) from None
        finally:
            _end(child)
        try:
            answered = json.loads(file.read_bytes())
        except (OSError, ValueError):  # none, or not all of it
            raise ValueError(
                f"{address} must leave its process alone; {_ended(status)} "
                "before the probe had finished"
            ) from None
    if "refused" in answered:
        raise ValueError(answered["refused"])
    return parse(Report, answered["report"])


def _end(child: subprocess.Popen[bytes]) -> None:
    """Kill a child that still runs, and what it has started."""
    if child.poll() is not None:
        return
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    else:  # Windows
        child.kill()
    child.wait()


def _ended(status: int) -> str:
    """How a process ended, in words."""
    if status >= 0:
        return f"it ended with status {status}"
    name = signal.Signals(-status).name
    short = " (perhaps for want of memory)" if name == "SIGKILL" else ""
    return f"it was ended by {name}{short}"


def answer(
    *,
    address: str,
    file: str,
    seconds: float,
    gibibytes: float | None,
    **request: Any,
) -> None:
    """Be the child: probe, write the report down, and end."""
    # If the parent was killed, nobody else would end a network that hangs.
    nowhere = Path(os.devnull).open("w")  # noqa: SIM115
    faulthandler.dump_traceback_later(seconds + 5, exit=True, file=nowhere)
    _limit_memory(gibibytes)
    told: dict[str, object]
    try:
        import torch

        from preact.conformance.address import load
        from preact.conformance.probing import probe

        torch.manual_seed(0)  # random weights, the same each time
        report = probe(load(address), name=address, **request)
        told = {"report": asdict(report)}
    except ValueError as error:
        told = {"refused": str(error)}
    except BaseException as error:
        why = f"be a network that can be probed; it raised {raised(error)}"
        if isinstance(error, MemoryError):
            most = f"{gibibytes:g} GiB" if gibibytes else "half of the memory"
            why = f"be probed within the limit; it took more than {most}"
        told = {"refused": f"{address} must {why}"}
    Path(file).write_text(json.dumps(told), "utf-8")
    with suppress(Exception):
        sys.stdout.flush()
    os._exit(0)  # threads and exit handlers of the network do not matter now


def _limit_memory(gibibytes: float | None) -> None:
    """Let allocations fail before the machine has no memory left.

    Not of addresses (RLIMIT_AS), which CUDA and PyTorch only reserve.
    """
    try:
        import resource
    except ImportError:  # Windows
        return
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    most = int(gibibytes * 2**30) if gibibytes else machine // 2
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    with suppress(ValueError, OSError):  # above what the caller may have
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
