"""What weights must be in a file."""

from collections.abc import Mapping

import torch
from torch import Tensor

from preact.typed import shortened

DTYPES = {  # as files of weights call them
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F32": torch.float32,
    "F64": torch.float64,
}


def check_kinds(weights: Mapping[str, Tensor]) -> None:
    """Raise ValueError if numbers are of several kinds, or of another."""
    names = {dtype: name for name, dtype in DTYPES.items()}
    dtypes = {value.dtype for value in weights.values()}
    if len(dtypes) != 1 or not dtypes <= set(names):
        got = sorted(names.get(dtype, str(dtype)) for dtype in dtypes)
        raise ValueError(
            f"weights must be of one kind, {' or '.join(DTYPES)}; "
            f"got {', '.join(got) or 'none'}"
        )


def check_numbers(weights: Mapping[str, Tensor]) -> None:
    """Raise ValueError if one is not finite, or a variance negative."""
    for name, value in weights.items():
        if bad := int((~torch.isfinite(value)).sum()):
            raise ValueError(
                f"{name} must hold finite numbers; got {bad} NaN or infinite "
                f"values among {value.numel()}"
            )
        if name.endswith("running_var") and (value < 0).any():
            raise ValueError(
                f"{name} must hold no negative variance; got "
                f"{float(value.min()):g}"
            )


def check_shapes(
    weights: Mapping[str, Tensor],
    wanted: Mapping[str, tuple[int, ...]],
    network: str,
) -> None:
    """Raise ValueError unless the tensors are those of a network."""
    for name in wanted:
        if name not in weights:
            raise ValueError(f"{name} of {network} is missing")
    for name, value in weights.items():
        if name not in wanted:
            raise ValueError(f"{shortened(name)} has no place in {network}")
        if tuple(value.shape) != wanted[name]:
            raise ValueError(
                f"{name} of {network} must have shape {wanted[name]}; got "
                f"{tuple(value.shape)}"
            )
