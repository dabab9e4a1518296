"""Who is looking: when only PyTorch's own operations give what is wanted."""

import torch
from torch import Tensor, nn
from torch.autograd import forward_ad
from torch.nn.modules.module import _has_any_global_hook

from preact.nn.layers import BatchNorm
from preact.nn.unit import Times, Unit

FORWARD: dict[
    type[nn.Module], object
] = {  # as imported: who replaces one of a class, wants that
    kind: kind.forward
    for kind in (nn.Sequential, nn.Conv2d, nn.ReLU, BatchNorm, Times, Unit)
}


def is_eager(x: Tensor) -> bool:
    """Whether x holds numbers and only reverse-mode autograd follows them.

    Not while a graph is traced, under `torch.func`, in forward mode, under a
    mode that sees each operation, or with a hook on all modules.
    """
    return not (
        type(x) is not Tensor
        or torch.compiler.is_compiling()
        or torch.jit.is_tracing()  # type: ignore[attr-defined,no-untyped-call]
        or torch._C._functorch.peek_interpreter_stack() is not None
        or torch._C._len_torch_dispatch_stack()
        or torch._C._len_torch_function_stack()
        or forward_ad._current_level >= 0
        or _has_any_global_hook()
    )


def is_batched(dy: Tensor) -> bool:
    """Whether a gradient is many, as `is_grads_batched` and vmap have it."""
    of = torch._C._functorch
    return of.is_batchedtensor(dy) or of.is_legacy_batchedtensor(dy)


def is_plain(module: nn.Module) -> bool:
    """Whether a call of the module is its class's own `forward`, no more."""
    own = module.__dict__
    return not (
        own["_forward_hooks"]
        or own["_forward_pre_hooks"]
        or own["_backward_hooks"]
        or own["_backward_pre_hooks"]
        or _is_replaced(module)
    )


def is_watched(module: nn.Module) -> bool:
    """Whether all that is not plain are hooks that `call_unit` can call."""
    own = module.__dict__
    return not (
        own["_backward_hooks"]
        or own["_backward_pre_hooks"]
        or own["_forward_hooks_with_kwargs"]
        or own["_forward_hooks_always_called"]
        or own["_forward_pre_hooks_with_kwargs"]
        or _is_replaced(module)
    )


def _is_replaced(module: nn.Module) -> bool:
    """Whether something else runs than the class's `forward` as imported."""
    own, kind = module.__dict__, type(module)
    return (
        "forward" in own
        or own.get("_compiled_call_impl") is not None
        or FORWARD.get(kind, kind.forward) is not kind.forward
    )
