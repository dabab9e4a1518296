"""A transformer small enough to read, whose layer norms can be moved.

A transformer of `layers` layers is a stack of 2 x `layers` residual units,
x_{l+1} = f(h(x_l) + F(x_l)), Eqs. (1) and (2) of the paper: attention and a
two-layer network take turns as F. Where its layer norms (LN) stand is a
`Placement`, as the place of BN is in `preact.spec`.
"""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class Placement:
    """Where the LNs of a unit stand, and what else is set at the start.

    `pre` is at the entrance of the branch, `post` at its end, `after` behind
    the addition: the paper's f. If `silent`, the last weights of every branch
    are zero at first. With `deepnorm` the shortcut is multiplied by U^(1/4),
    and the weights of the branch but for queries and keys by (4U)^(-1/4),
    where U is the number of units.
    """

    pre: bool = False
    post: bool = False
    after: bool = False
    silent: bool = False
    deepnorm: bool = False


PLACEMENTS = {
    "post-ln": Placement(after=True),
    "pre-ln": Placement(pre=True),
    "peri-ln": Placement(pre=True, post=True),
    "zero-init": Placement(pre=True, silent=True),
    "deepnorm": Placement(after=True, deepnorm=True),
}


class Attention(nn.Module):
    """Causal self-attention: each place reads those up to itself."""

    def __init__(self, d: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key = nn.Linear(d, d), nn.Linear(d, d)
        self.value, self.write = nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x: Float[Tensor, "N T d"]) -> Float[Tensor, "N T d"]:
        q, k, v = (
            weights(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for weights in (self.query, self.key, self.value)
        )
        mixed = functional.scaled_dot_product_attention(
            q, k, v, is_causal=True
        )
        return self.write(mixed.transpose(1, 2).flatten(-2))  # type: ignore[no-any-return]


class TwoLayers(nn.Module):
    """Weights, ReLU, weights; four times as wide inside."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.value, self.write = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def forward(self, x: Float[Tensor, "N T d"]) -> Float[Tensor, "N T d"]:
        return self.write(torch.relu(self.value(x)))  # type: ignore[no-any-return]


class Unit(nn.Module):
    """Eqs. (1) and (2): x -> f(h(x) + F(x)).

    With `direct`, the gradient goes by the shortcut alone, and so is the
    direct term of Eqs. (5) and (8).
    """

    def __init__(
        self,
        branch: Attention | TwoLayers,
        d: int,
        placement: Placement,
        units: int,
    ) -> None:
        super().__init__()
        self.branch = branch
        self.scale = units**0.25 if placement.deepnorm else 1.0
        self.pre, self.post, self.after = (
            nn.LayerNorm(d) if there else nn.Identity()
            for there in (placement.pre, placement.post, placement.after)
        )
        gain = (4 * units) ** -0.25 if placement.deepnorm else 1.0
        with torch.no_grad():
            branch.value.weight *= gain
            branch.write.weight *= 0.0 if placement.silent else gain

    def forward(
        self, x: Float[Tensor, "N T d"], direct: bool = False
    ) -> Float[Tensor, "N T d"]:
        F = self.post(self.branch(self.pre(x)))
        y = self.scale * x + (F.detach() if direct else F)
        return self.after(y)  # type: ignore[no-any-return]


class Transformer(nn.Module):
    """Predict each next character of a text.

    A layer is an attention and two layers of weights, so two units. By
    `default` weights stay as PyTorch draws them, smaller than `draw` does. The
    stream is `d` wide, and `length` characters are read at once.
    """

    def __init__(
        self,
        characters: int,
        layers: int,
        placement: Placement,
        *,
        default: bool = False,
        d: int = 32,
        heads: int = 4,
        length: int = 32,
    ) -> None:
        super().__init__()
        self.character = nn.Embedding(characters, d)
        self.place = nn.Embedding(length, d)
        branches = [
            branch
            for _ in range(layers)
            for branch in (Attention(d, heads), TwoLayers(d))
        ]
        # as the BN behind the last unit of a pre-activation network
        self.tail = nn.Identity() if placement.after else nn.LayerNorm(d)
        self.classifier = nn.Linear(d, characters)
        if not default:
            draw(self, branches)
        self.units = nn.ModuleList(
            Unit(branch, d, placement, len(branches)) for branch in branches
        )

    def streams(
        self, text: Int[Tensor, "N T"], direct: bool = False
    ) -> list[Float[Tensor, "N T d"]]:
        """Return x_0, ..., x_L."""
        streams = [self.character(text) + self.place.weight[: text.shape[1]]]
        for unit in self.units:
            streams.append(unit(streams[-1], direct))
        return streams

    def forward(self, text: Int[Tensor, "N T"]) -> Float[Tensor, "N T c"]:
        x = self.streams(text)[-1]
        return self.classifier(self.tail(x))  # type: ignore[no-any-return]


@torch.no_grad()
def draw(network: Transformer, branches: list[Attention | TwoLayers]) -> None:
    """Draw weights that keep a mean square of 1, and no biases.

    The variance is 1/fan-in, after a ReLU 2/fan-in; the two embeddings add
    up to a mean square of 1.
    """
    for embedding in (network.character, network.place):
        embedding.weight.normal_(0, math.sqrt(0.5))
    linear = [network.classifier]
    linear += [
        m for b in branches for m in b.modules() if type(m) is nn.Linear
    ]
    for weights in linear:
        wide = weights.in_features > weights.out_features
        weights.weight.normal_(0, math.sqrt((1 + wide) / weights.in_features))
        weights.bias.zero_()
