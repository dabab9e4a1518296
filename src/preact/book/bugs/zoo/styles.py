"""Right networks, as different people write them."""

import torch
from torch import Tensor, nn

from preact.book.bugs.zoo.right import UNITS, WIDTHS, conv1x1, conv3x3


class Inlined(nn.Module):
    """Original units, without a class for them; zeros where it widens."""

    def __init__(self) -> None:
        super().__init__()
        self.convs = nn.ModuleList([conv3x3(3, 16)])
        self.norms = nn.ModuleList([nn.BatchNorm2d(16)])
        c_in = 16
        for c_out in WIDTHS:
            for _ in range(UNITS):
                stride = 1 if c_in == c_out else 2
                self.convs.append(conv3x3(c_in, c_out, stride))
                self.convs.append(conv3x3(c_out, c_out))
                self.norms.append(nn.BatchNorm2d(c_out))
                self.norms.append(nn.BatchNorm2d(c_out))
                c_in = c_out
        self.head = nn.Linear(c_in, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.norms[0](self.convs[0](x)).clamp(min=0)
        for i in range(1, len(self.convs), 2):
            y = self.norms[i](self.convs[i](x)).clamp(min=0)
            y = self.norms[i + 1](self.convs[i + 1](y))
            if y.shape != x.shape:
                small = x[:, :, ::2, ::2]
                x = torch.cat([small, torch.zeros_like(small)], dim=1)
            x = (x + y).clamp(min=0)
        return self.head(x.flatten(2).mean(2))  # type: ignore[no-any-return]


class WithIdentity(nn.Module):
    """Full pre-activation; the shortcut is always a module."""

    def __init__(self, c_in: int, c_out: int, stride: int) -> None:
        super().__init__()
        self.skip: nn.Module = nn.Identity()
        self.before: nn.Module = nn.Identity()
        self.inside: nn.Module = nn.Sequential(nn.BatchNorm2d(c_in), nn.ReLU())
        if stride != 1 or c_in != c_out:
            self.skip = conv1x1(c_in, c_out, stride)
            self.before, self.inside = self.inside, self.before
        self.body = nn.Sequential(
            conv3x3(c_in, c_out, stride),
            nn.BatchNorm2d(c_out),
            nn.ReLU(),
            nn.Identity(),
            conv3x3(c_out, c_out),
        )

    def forward(self, x: Tensor) -> Tensor:
        x = self.before(x)
        return self.body(self.inside(x)) + self.skip(x)  # type: ignore[no-any-return]


def with_identity() -> nn.Module:
    """A network of units whose shortcuts are modules."""
    units: list[nn.Module] = []
    c_in = 16
    for c_out in WIDTHS:
        for _ in range(UNITS):
            stride = 1 if c_in == c_out else 2
            units.append(WithIdentity(c_in, c_out, stride))
            c_in = c_out
    return nn.Sequential(
        conv3x3(3, 16),
        *units,
        nn.BatchNorm2d(c_in),
        nn.ReLU(),
        nn.AvgPool2d(8),
        nn.Flatten(),
        nn.Linear(c_in, 10),
    )
