"""Devices by name, and the arithmetic of convolutions on them.

Full, TF32, or half precision with float32 weights.
"""

import re
from contextlib import AbstractContextManager, nullcontext
from typing import Literal

import torch

Precision = Literal["fp32", "tf32", "bf16", "fp16"]
HALF = {"bf16": torch.bfloat16, "fp16": torch.float16}


def find_device() -> str:
    """Return the fastest device that is here."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def check_device(name: str) -> torch.device:
    """Return the device of that name. Refuse one that is not here."""
    if name == "cpu":
        return torch.device("cpu")
    match = re.fullmatch(r"cuda(?::([0-9]{1,3}))?", name)
    if match is None:
        raise ValueError(f"device must be cpu or cuda; got {name[:40]!r}")
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if not count:
        raise ValueError(
            f"device must be cpu: no CUDA device is here; got {name!r}"
        )
    if match[1] is not None and int(match[1]) >= count:
        raise ValueError(
            f"device must be one of cuda:0 to cuda:{count - 1}; got {name!r}"
        )
    return torch.device(name)


def arithmetic(
    precision: Precision, device: torch.device
) -> AbstractContextManager[object]:
    """Context of the forward pass; sets TF32. Refuse it on a CPU."""
    if device.type == "cuda":
        tf32 = precision == "tf32"
        torch.backends.cudnn.allow_tf32 = tf32
        torch.backends.cuda.matmul.allow_tf32 = tf32
    elif precision == "tf32":
        raise ValueError(
            "precision must be fp32, bf16 or fp16 on this device; got tf32, "
            "which only NVIDIA GPUs have"
        )
    if precision in HALF:
        return torch.autocast(device.type, dtype=HALF[precision])
    return nullcontext()
