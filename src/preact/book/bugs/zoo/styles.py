"""Right networks, as different people write them."""

from collections.abc import Callable

import torch
import torch.nn.functional as nnf
from torch import Tensor, nn

from preact.book.bugs.zoo.right import UNITS, WIDTHS, conv1x1, conv3x3


class Functional(nn.Module):
    """Full pre-activation, all parameters in one dictionary."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.ParameterDict()
        self.register_buffer("one", torch.ones(1))
        self._conv("stem", 3, 16, 3)
        c_in = 16
        self.plan: list[tuple[str, int]] = []
        for stage, c_out in enumerate(WIDTHS):
            for i in range(UNITS):
                name = f"{stage}{i}"
                self._norm(f"a{name}", c_in)
                self._conv(f"b{name}", c_in, c_out, 3)
                self._norm(f"c{name}", c_out)
                self._conv(f"d{name}", c_out, c_out, 3)
                if c_in != c_out:
                    self._conv(f"e{name}", c_in, c_out, 1)
                self.plan.append((name, 1 if c_in == c_out else 2))
                c_in = c_out
        self._norm("tail", c_in)
        self.w["weight"] = nn.Parameter(torch.zeros(10, c_in).normal_())
        self.w["shift"] = nn.Parameter(torch.zeros(10))

    def _conv(self, name: str, c_in: int, c_out: int, kernel: int) -> None:
        """Draw a kernel."""
        weight = torch.empty(c_out, c_in, kernel, kernel)
        nn.init.kaiming_normal_(weight)
        self.w[name] = nn.Parameter(weight)

    def _norm(self, name: str, channels: int) -> None:
        """Make the parameters and the statistics of a BN."""
        self.w[f"{name}g"] = nn.Parameter(torch.ones(channels))
        self.w[f"{name}s"] = nn.Parameter(torch.zeros(channels))
        self.register_buffer(f"{name}m", torch.zeros(channels))
        self.register_buffer(f"{name}v", torch.ones(channels))

    def _active(self, x: Tensor, name: str) -> Tensor:
        """BN and ReLU."""
        mean, var = getattr(self, f"{name}m"), getattr(self, f"{name}v")
        scale, shift = self.w[f"{name}g"], self.w[f"{name}s"]
        return nnf.batch_norm(
            x, mean, var, scale, shift, training=self.training
        ).relu()

    def forward(self, x: Tensor) -> Tensor:
        x = nnf.conv2d(x, self.w["stem"], padding=1)
        for name, stride in self.plan:
            out = self._active(x, f"a{name}")
            h = x
            if stride == 2:
                h = nnf.conv2d(out, self.w[f"e{name}"], stride=2)
            out = nnf.conv2d(out, self.w[f"b{name}"], None, stride, 1)
            out = self._active(out, f"c{name}")
            x = torch.add(h, nnf.conv2d(out, self.w[f"d{name}"], padding=1))
        x = self._active(x, "tail")
        x = nnf.adaptive_avg_pool2d(x, 1).flatten(1)
        return nnf.linear(x, self.w["weight"], self.w["shift"])


class Around(nn.Module):
    """Adds what it is given around a sequence."""

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.body = nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.body(x)  # type: ignore[no-any-return]


class Fork(nn.Module):
    """Activates once, then adds two sequences."""

    def __init__(
        self, first: nn.Module, left: nn.Module, right: nn.Module
    ) -> None:
        super().__init__()
        self.first, self.left, self.right = first, left, right

    def forward(self, x: Tensor) -> Tensor:
        x = self.first(x)
        return self.left(x) + self.right(x)  # type: ignore[no-any-return]


def active(channels: int) -> nn.Sequential:
    """BN and ReLU."""
    return nn.Sequential(nn.BatchNorm2d(channels), nn.ReLU(inplace=True))


def sequential() -> nn.Module:
    """Full pre-activation, as one `nn.Sequential` of small parts."""
    layers: list[nn.Module] = [conv3x3(3, 16)]
    c_in = 16
    for c_out in WIDTHS:
        for _ in range(UNITS):
            if c_in == c_out:
                layers.append(
                    Around(
                        active(c_in),
                        conv3x3(c_in, c_in),
                        active(c_in),
                        conv3x3(c_in, c_in),
                    )
                )
                continue
            branch = nn.Sequential(
                conv3x3(c_in, c_out, 2), active(c_out), conv3x3(c_out, c_out)
            )
            projection = conv1x1(c_in, c_out, 2)
            layers.append(Fork(active(c_in), branch, projection))
            c_in = c_out
    return nn.Sequential(
        *layers,
        active(c_in),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(c_in, 10),
    )


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


class LikeTorchvision(nn.Module):
    """Original unit: in place wherever it can be."""

    def __init__(
        self, planes: int, width: int, stride: int, down: nn.Module | None
    ) -> None:
        super().__init__()
        self.conv1 = conv3x3(planes, width, stride)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = conv3x3(width, width)
        self.bn2 = nn.BatchNorm2d(width)
        self.downsample = down

    def forward(self, x: Tensor) -> Tensor:
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)  # type: ignore[no-any-return]


def like_torchvision() -> nn.Module:
    """A small torchvision network with the large stem."""
    layers: list[nn.Module] = []
    planes = 64
    for i, width in enumerate((64, 128, 256, 512)):
        stride, down = (2, None) if i else (1, None)
        shortcut: nn.Module | None = down
        if planes != width:
            shortcut = nn.Sequential(
                conv1x1(planes, width, stride), nn.BatchNorm2d(width)
            )
        layers.append(LikeTorchvision(planes, width, stride, shortcut))
        layers.append(LikeTorchvision(width, width, 1, None))
        planes = width
    return nn.Sequential(
        nn.Conv2d(3, 64, 7, 2, 3, bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, 2, 1),
        *layers,
        nn.AdaptiveAvgPool2d((1, 1)),
        nn.Flatten(),
        nn.Linear(512, 1000),
    )


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


STYLES: dict[str, tuple[Callable[[], nn.Module], str]] = {
    "functional": (Functional, "full-preactivation"),
    "sequential": (sequential, "full-preactivation"),
    "inlined": (Inlined, "original"),
    "identity-modules": (with_identity, "full-preactivation"),
    "like-torchvision": (like_torchvision, "original"),
}
