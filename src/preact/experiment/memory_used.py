"""The most memory that a run held.

Chapter `09-training`.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def reset_peak_memory(device: str) -> None:
    """Forget what was held before."""
    if device.startswith("cuda"):
        torch.cuda.reset_peak_memory_stats()
    else:
        with suppress(OSError):
            CLEAR.write_text("5")


def peak_memory(device: str) -> dict[str, Any]:
    """Return bytes held at most, and what they count; None if unknown."""
    if device.startswith("cuda"):
        return {
            "peak_memory_bytes": torch.cuda.max_memory_allocated(),
            "peak_memory_is": "CUDA allocator",
        }
    with suppress(OSError):
        for line in STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return {
                    "peak_memory_bytes": int(line.split()[1]) * 1024,
                    "peak_memory_is": "resident set of the process",
                }
    return {"peak_memory_bytes": None, "peak_memory_is": "unknown"}
