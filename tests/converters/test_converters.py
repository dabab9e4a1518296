"""Weights of other packages give the same logits in our networks."""

from collections import OrderedDict

import pytest
import pytorchcv.models.preresnet as cv_preact
import pytorchcv.models.preresnet_cifar as cv_preact_cifar
import pytorchcv.models.resnet as cv_original
import pytorchcv.models.resnet_cifar as cv_original_cifar
import torch
import torch_resnet
from torch import nn

from preact import converters
from preact.nn import Network
from preact.plan import PAPER, Conventions, cifar_plan, imagenet_plan
from preact.spec import TABLE_2

PREACT = TABLE_2["full-preactivation"]


def randomized(network):
    """In float64, every tensor drawn, the running statistics too."""
    network.double()
    rng = torch.Generator().manual_seed(0)
    for name, value in network.state_dict().items():
        if value.is_floating_point():
            if name.endswith("running_var"):
                value.uniform_(0.5, 1.5, generator=rng)
            elif value.ndim > 1:
                fan_in = value[0].numel()
                value.normal_(0, (1 / fan_in) ** 0.5, generator=rng)
            else:
                value.normal_(0, 0.3, generator=rng).add_(0.5)
    return network.eval()


def images(plan, side):
    rng = torch.Generator().manual_seed(1)
    size = 1, plan.image[0], side, side
    return torch.randn(size, generator=rng, dtype=torch.float64)


def agree(theirs, ours, side):
    x = images(ours.plan, side)
    with torch.no_grad():
        wanted, got = theirs(x), ours(x)
    assert wanted.abs().max() > 1e-3
    error = (got - wanted).abs().max() / wanted.abs().max()
    assert error < 1e-12


def with_head(network, classes=10):
    network.set_head(nn.Linear(network.out_planes, classes))
    return network


def torchvision_like(counts=(3, 4, 6, 3), classes=10):
    """ResNet-50 as torchvision builds and names it."""

    class Bottleneck(nn.Module):
        def __init__(self, c_in, c, stride):
            super().__init__()
            self.conv1 = nn.Conv2d(c_in, c, 1, bias=False)
            self.bn1 = nn.BatchNorm2d(c)
            self.conv2 = nn.Conv2d(c, c, 3, stride, 1, bias=False)
            self.bn2 = nn.BatchNorm2d(c)
            self.conv3 = nn.Conv2d(c, 4 * c, 1, bias=False)
            self.bn3 = nn.BatchNorm2d(4 * c)
            self.downsample = None
            if stride != 1 or c_in != 4 * c:
                self.downsample = nn.Sequential(
                    nn.Conv2d(c_in, 4 * c, 1, stride, bias=False),
                    nn.BatchNorm2d(4 * c),
                )

        def forward(self, x):
            out = self.bn1(self.conv1(x)).relu()
            out = self.bn2(self.conv2(out)).relu()
            out = self.bn3(self.conv3(out))
            return (out + (self.downsample or nn.Identity())(x)).relu()

    layers, c_in = OrderedDict(), 64
    layers["conv1"] = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
    layers["bn1"] = nn.BatchNorm2d(64)
    layers["relu"], layers["maxpool"] = nn.ReLU(), nn.MaxPool2d(3, 2, 1)
    for i, n in enumerate(counts):
        units = []
        for unit in range(n):
            stride = 2 if i and not unit else 1
            units.append(Bottleneck(c_in, 64 * 2**i, stride))
            c_in = 256 * 2**i
        layers[f"layer{i + 1}"] = nn.Sequential(*units)
    layers["avgpool"], layers["flat"] = nn.AdaptiveAvgPool2d(1), nn.Flatten()
    layers["fc"] = nn.Linear(c_in, classes)
    return nn.Sequential(layers)


class TimmUnit(nn.Module):
    """A full pre-activation unit as timm's resnetv2 computes and names it."""

    def __init__(self, c_in, c, c_out, stride, is_bottleneck):
        super().__init__()
        sizes = [1, 3, 1] if is_bottleneck else [3, 3]
        widths = [c_in, *[c] * (len(sizes) - 1), c_out]
        strider = sizes.index(3)
        self.count = len(sizes)
        for i, size in enumerate(sizes):
            norm = nn.BatchNorm2d(widths[i])
            conv = nn.Conv2d(
                widths[i],
                widths[i + 1],
                size,
                stride if i == strider else 1,
                size // 2,
                bias=False,
            )
            self.add_module(f"norm{i + 1}", norm)
            self.add_module(f"conv{i + 1}", conv)
        self.downsample = None
        if stride != 1 or c_in != c_out:
            conv = nn.Conv2d(c_in, c_out, 1, stride, bias=False)
            self.downsample = nn.Sequential(OrderedDict(conv=conv))

    def forward(self, x):
        out = pre = self.norm1(x).relu()
        shortcut = self.downsample(pre) if self.downsample else x
        out = self.conv1(out)
        for i in range(2, self.count + 1):
            norm = getattr(self, f"norm{i}")
            out = getattr(self, f"conv{i}")(norm(out).relu())
        return out + shortcut


class TimmHead(nn.Module):
    def __init__(self, c_in, classes):
        super().__init__()
        self.fc = nn.Conv2d(c_in, classes, 1)

    def forward(self, x):
        return self.fc(x.mean((2, 3), keepdim=True)).flatten(1)


def timm_like(counts=(2, 2, 2, 2), is_bottleneck=False, classes=10):
    """resnetv2_18 as timm builds and names it, or resnetv2_50."""
    stem = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
    pool = nn.MaxPool2d(3, 2, 1)
    stages, c_in = [], 64
    for i, n in enumerate(counts):
        units = []
        for unit in range(n):
            c, stride = 64 * 2**i, 2 if i and not unit else 1
            c_out = 4 * c if is_bottleneck else c
            units.append(TimmUnit(c_in, c, c_out, stride, is_bottleneck))
            c_in = c_out
        blocks = nn.Sequential(*units)
        stages.append(nn.Sequential(OrderedDict(blocks=blocks)))
    return nn.Sequential(
        OrderedDict(
            stem=nn.Sequential(OrderedDict(conv=stem, pool=pool)),
            stages=nn.Sequential(*stages),
            norm=nn.BatchNorm2d(c_in),
            relu=nn.ReLU(),
            head=TimmHead(c_in, classes),
        )
    )


CASES = {  # package and maker
    "preresnet20": ("pytorchcv", cv_preact_cifar.preresnet20_cifar10),
    "preresnet56": ("pytorchcv", cv_preact_cifar.preresnet56_cifar100),
    "preresnet110": ("pytorchcv", cv_preact_cifar.preresnet110_cifar10),
    "preresnet164bn": ("pytorchcv", cv_preact_cifar.preresnet164bn_cifar10),
    "preresnet1001": ("pytorchcv", cv_preact_cifar.preresnet1001_cifar10),
    "resnet20": ("pytorchcv", cv_original_cifar.resnet20_cifar10),
    "resnet164bn": ("pytorchcv", cv_original_cifar.resnet164bn_cifar10),
    "resnet50b": ("pytorchcv", cv_original.resnet50b),
    "resnet50": ("pytorchcv", cv_original.resnet50),
    "preresnet50b": ("pytorchcv", cv_preact.preresnet50b),
    "preresnet50": ("pytorchcv", cv_preact.preresnet50),
    "PreActResNet20": (
        "torch_resnet",
        lambda: with_head(torch_resnet.PreActResNet20()),
    ),
    "PreActResNet56": (
        "torch_resnet",
        lambda: with_head(torch_resnet.PreActResNet56(), 7),
    ),
    "PreActResNet110": (
        "torch_resnet",
        lambda: with_head(torch_resnet.PreActResNet110()),
    ),
    "PreActResNet164": (
        "torch_resnet",
        lambda: with_head(torch_resnet.PreActResNet164()),
    ),
    "PreActResNet1001": (
        "torch_resnet",
        lambda: with_head(torch_resnet.PreActResNet1001()),
    ),
    "PreActResNet18": (
        "torch_resnet",
        lambda: with_head(torch_resnet.PreActResNet18()),
    ),
    "PreActResNet18 for small images": (
        "torch_resnet",
        lambda: with_head(torch_resnet.PreActResNet18(small_images=True)),
    ),
    "ResNet34": (
        "torch_resnet",
        lambda: with_head(torch_resnet.ResNet34()),
    ),
    "ResNet20": (
        "torch_resnet",
        lambda: with_head(torch_resnet.ResNet20()),
    ),
    "PreActResNet50": (
        "torch_resnet",
        lambda: with_head(torch_resnet.PreActResNet50()),
    ),
    "ResNet50": (
        "torch_resnet",
        lambda: with_head(torch_resnet.ResNet50()),
    ),
    "torchvision's ResNet-50": ("torchvision", torchvision_like),
    "timm's ResNet-50": ("timm", torchvision_like),
    "timm's resnetv2_18": ("timm", timm_like),
    "timm's resnetv2_50": ("timm", lambda: timm_like((3, 4, 6, 3), True)),
}
# A small one of each package in the fast suite, all in the whole one.
FIRST = ("preresnet20", "resnet20", "PreActResNet20", "timm's resnetv2_18")


def cases():
    for name, case in CASES.items():
        marks = [] if name in FIRST else [pytest.mark.slow]
        yield pytest.param(name, *case, id=name, marks=marks)


@pytest.mark.parametrize(("name", "package", "make"), [*cases()])
def test_logits_are_theirs_and_the_way_back_is_strict(name, package, make):
    theirs = randomized(make())
    options = {}
    if name in ("resnet50", "preresnet50"):
        options["stride_on"] = "first"
    read = getattr(converters, f"from_{package}")
    write = getattr(converters, f"to_{package}")
    ours = read(theirs.state_dict(), **options)
    # Only pytorchcv insists on the size of the paper's images.
    is_large = package == "pytorchcv" and ours.plan.depth == 50
    agree(theirs, ours, 224 if is_large else 32)
    again = make().double()
    again.load_state_dict(write(ours))
    returned = again.state_dict()  # made anew by each call
    for key, value in theirs.state_dict().items():
        assert torch.equal(value, returned[key])


def test_a_network_of_ours_runs_in_another_package():
    conventions = Conventions(first_tap="before pre", projection="conv")
    plan = cifar_plan(PREACT, depth=20, convs=2, conventions=conventions)
    ours = randomized(Network(plan))
    theirs = cv_preact_cifar.preresnet20_cifar10().double().eval()
    theirs.load_state_dict(converters.to_pytorchcv(ours))
    agree(theirs, ours, 32)


def spoiled(change):
    weights = cv_preact_cifar.preresnet20_cifar10().state_dict()
    change(weights)
    return weights


def test_the_first_odd_name_or_shape_is_in_the_message():
    for change, said in [
        (
            lambda w: w.clear(),
            r"output\.weight is missing; the first name is nothing",
        ),
        (
            lambda w: w.pop("features.init_block.weight"),
            "no network of original or full pre-activation units",
        ),
        (
            lambda w: w.pop("features.stage2.unit3.body.conv2.bn.bias"),
            r"features\.stage2\.unit3\.body\.conv2\.bn\.bias is missing",
        ),
        (
            lambda w: w.update({"features.stage1.unit1.se.w": torch.ones(1)}),
            r"stage1\.unit1\.se\.w has no place in a ResNet-20 of `BN ReLU",
        ),
        (
            lambda w: w.update({"features.post_activ.bn.weight": ONES}),
            r"post_activ.bn.weight must have shape \(64,\) in .*; got \(3,\)",
        ),
        (
            lambda w: [
                w.pop(k) for k in list(w) if "stage3.unit1.body.conv1.bn" in k
            ],
            r"stage3.unit1.body.conv1.bn.weight is",
        ),
        (
            lambda w: w.update({"features.init_block.weight": ONES}),
            r"must be a convolution of 3 pixels; got shape \(3,\)",
        ),
    ]:
        with pytest.raises(ValueError, match=f"pytorchcv: .*{said}"):
            converters.from_pytorchcv(spoiled(change))


ONES = torch.ones(3)


def test_units_that_no_package_has_are_refused():
    for row in ("relu-before-addition", "bn-after-addition"):
        plan = cifar_plan(TABLE_2[row], depth=8, convs=2)
        with pytest.raises(ValueError, match=r"has no (such net|layer)"):
            converters.to_torch_resnet(Network(plan))


@pytest.mark.parametrize(
    ("conventions", "convs", "said"),
    [
        (PAPER, 2, "tap of units.0 must be before pre; got after pre"),
        (
            Conventions(first_tap="before pre"),
            2,
            "projection of units.1 must be conv; got pad",
        ),
        (
            Conventions(),
            3,
            r"pytorchcv has this network with stride_on='3x3'",
        ),
    ],
)
def test_another_reading_of_the_paper_is_refused_with_what_differs(
    conventions, convs, said
):
    depth = 3 * convs + 2
    plan = cifar_plan(
        PREACT, depth=depth, convs=convs, conventions=conventions
    )
    with pytest.raises(ValueError, match=said):
        converters.to_pytorchcv(Network(plan))


def test_a_stride_that_a_package_does_not_have_is_refused():
    weights = cv_preact_cifar.preresnet164bn_cifar10().state_dict()
    with pytest.raises(ValueError, match="stride_on='3x3'"):
        converters.from_pytorchcv(weights, stride_on="first")
    with pytest.raises(ValueError, match=r"stride_on must be .*got 'second'"):
        converters.from_pytorchcv(weights, stride_on="second")


def test_imagenet_of_the_paper_goes_out_where_the_stem_agrees():
    conventions = Conventions(stride_on="3x3", stem=())
    plan = imagenet_plan(PREACT, depth=50, conventions=conventions)
    network = Network(plan, seed=0)
    assert "init_layer.0.weight" in converters.to_torch_resnet(network)
    with pytest.raises(
        ValueError, match="torchvision has no such network: none w"
    ):
        converters.to_torchvision(network)
