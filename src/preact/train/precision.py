"""Arithmetic of convolutions: full, TF32, or half with float32 weights.

Chapter `09-training`.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Literal

import torch

Precision = Literal["fp32", "tf32", "bf16", "fp16"]
HALF = {"bf16": torch.bfloat16, "fp16": torch.float16}


def arithmetic(
    precision: Precision, device: torch.device
) -> AbstractContextManager[object]:
    """Context of the forward pass; sets TF32 on a GPU.

    Raises
    ------
    ValueError
        If TF32 is asked for where there is none.
    """
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


def loss_scaler(
    precision: Precision, device: torch.device
) -> torch.amp.GradScaler:
    """Scale of the loss, without effect unless the precision is fp16."""
    return torch.amp.GradScaler(device.type, enabled=precision == "fp16")
