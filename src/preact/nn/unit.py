"""One residual unit in PyTorch: Eqs. (1) and (2).

The twin of `preact.reference.unit`.
"""

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from preact.nn.layers import sequential
from preact.plan import UnitPlan
from preact.spec import Dropout, Gated, Scale
from preact.spec.unit import OnBranch, OnShortcut


class Unit(nn.Module):
    """x_{l+1} = f(s h(x_l) + b F(x_l)).

    Parameters
    ----------
    plan : UnitPlan
        The unit with every choice resolved.

    References
    ----------
    Eqs. (1), (2), (6); Table 1's factors s on the shortcut and b on F.

    Examples
    --------
    With a silent branch the pre-activation unit is an identity mapping:

    >>> import torch
    >>> from preact.nn import Unit
    >>> from preact.plan import UnitPlan
    >>> from preact.spec import find_row
    >>> x = torch.linspace(-1, 1, 4 * 8 * 6 * 6).reshape(4, 8, 6, 6)
    >>> for row in ("original", "full-preactivation"):
    ...     spec = find_row(row)
    ...     unit = Unit(UnitPlan(spec=spec, c_in=8, c_inner=8, c_out=8))
    ...     _ = torch.nn.init.zeros_(unit.weights[-1].weight)  # F = 0
    ...     print(torch.equal(unit(x), x), torch.equal(unit(x), x.relu()))
    False True
    True False
    """

    def __init__(self, plan: UnitPlan) -> None:
        super().__init__()
        self.tap_after_pre = plan.tap == "after pre"
        self.pre = sequential(plan.pre)
        self.weights = sequential(plan.weights)
        self.post = sequential(plan.post)
        self.shortcut = sequential(plan.shortcut)
        self.gate = sequential(plan.gate)
        self.on_shortcut = factor(plan.spec.on_shortcut)
        self.on_branch = factor(plan.spec.on_branch)
        self.after = sequential(plan.after, owns_input=True)

    def forward(self, x: Tensor) -> Tensor:
        """Map x_l (N, c_in, H, W) to x_{l+1} (N, c_out, H', W').

        Parameters
        ----------
        x : (N, C, H, W) float tensor
            What the unit reads.
        """
        a = self.pre(x)
        F = self.post(self.weights(a))
        h = self.shortcut(a if self.tap_after_pre else x)
        g = torch.sigmoid(self.gate(x)) if len(self.gate) else None
        y = self.on_shortcut(h, g) + self.on_branch(F, g)
        out: Tensor = self.after(y)
        return out


class Times(nn.Module):
    """v times a constant; v itself, and no memory, where it is 1."""

    def __init__(self, value: float) -> None:
        super().__init__()
        self.value = value

    def forward(self, v: Tensor, g: Tensor | None) -> Tensor:
        return v if self.value == 1.0 else self.value * v

    def extra_repr(self) -> str:
        return f"{self.value:g}"


class TimesGate(nn.Module):
    """v times the gate g, or times its complement 1 - g."""

    def __init__(self, complement: bool) -> None:
        super().__init__()
        self.complement = complement

    def forward(self, v: Tensor, g: Tensor) -> Tensor:
        return (1.0 - g if self.complement else g) * v

    def extra_repr(self) -> str:
        return "1-g" if self.complement else "g"


class TimesMask(nn.Module):
    """v times a dropout mask in training."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, v: Tensor, g: Tensor | None) -> Tensor:
        return nnf.dropout(v, self.rate, self.training)

    def extra_repr(self) -> str:
        return f"dropout {self.rate:g}"


def factor(what: OnShortcut | OnBranch) -> nn.Module:
    """Build one column of Table 1: what multiplies h, or F."""
    match what:
        case Scale(value):
            return Times(value)
        case Gated(complement=complement):
            return TimesGate(complement)
        case Dropout(rate):
            return TimesMask(rate)
        case _:
            return Times(1.0)  # a 1x1 convolution is an h, not a factor
