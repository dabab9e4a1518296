"""Weights of other packages give the same logits in our networks."""

import re

import pytest
import pytorchcv.models.preresnet as cv_preact
import pytorchcv.models.preresnet_cifar as cv_preact_cifar
import pytorchcv.models.resnet as cv_original
import pytorchcv.models.resnet_cifar as cv_original_cifar
import torch
import torch_resnet
from torch import nn

from preact.converters import from_weights, to_weights
from preact.nn import Network
from preact.plan import Conventions, cifar_plan, imagenet_plan
from preact.plan.conventions import PAPER
from preact.spec import TABLE_1, TABLE_2
from sampled import sampled

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


def shipped(package, maker, **options):
    """The package's own network, where it is installed."""

    def make():
        module = pytest.importorskip(
            package, reason="pip install timm torchvision"
        )
        return getattr(module, maker)(**options)

    return make


def timms(name):
    return "timm", shipped("timm", "create_model", model_name=name)


def with_head(name, classes=10, **options):
    """A network of torch-resnet with a classifier."""

    def make():
        network = getattr(torch_resnet, name)(**options)
        network.set_head(nn.Linear(network.out_planes, classes))
        return network

    return "torch-resnet", make


# Networks that two packages have: names of the first, and of the second.
RENAMED = {
    "torchvision": (
        (r"features\.init_block\.conv\.conv", "conv1"),
        (r"features\.init_block\.conv\.bn", "bn1"),
        (r"features\.stage(\d)\.unit(\d+)\.", r"layer\1.\2."),
        (r"body\.conv(\d)\.conv", r"conv\1"),
        (r"body\.conv(\d)\.bn", r"bn\1"),
        (r"identity_conv\.conv", "downsample.0"),
        (r"identity_conv\.bn", "downsample.1"),
        ("output", "fc"),
    ),
    "timm": (
        (r"init_layer\.0", "stem.conv"),
        (r"layers\.(\d)\.(\d+)\.", r"stages.\1.blocks.\2."),
        (r"bn(\d)", r"norm\1"),
        (r"shortcut\.conv", "downsample.conv"),
        ("head", "head.fc"),
    ),
}


def renamed(package, weights):
    """A state dictionary as another package names it."""
    found = {}
    for name, value in weights.items():
        for theirs, its in RENAMED[package]:
            name = re.sub(theirs, its, name)
        if package == "torchvision":  # counts units from 0
            name = re.sub(
                r"^(layer\d)\.(\d+)",
                lambda m: f"{m[1]}.{int(m[2]) - 1}",
                name,
            )
        is_head = name == "head.fc.weight"
        found[name] = value[:, :, None, None] if is_head else value
    return found


CASES = {  # package and maker
    "preresnet20": ("pytorchcv", cv_preact_cifar.preresnet20_cifar10),
    "preresnet164bn": ("pytorchcv", cv_preact_cifar.preresnet164bn_cifar10),
    "preresnet1001": ("pytorchcv", cv_preact_cifar.preresnet1001_cifar10),
    "resnet20": ("pytorchcv", cv_original_cifar.resnet20_cifar10),
    "resnet164bn": ("pytorchcv", cv_original_cifar.resnet164bn_cifar10),
    "resnet50b": ("pytorchcv", cv_original.resnet50b),
    "resnet50": ("pytorchcv", cv_original.resnet50),
    "preresnet50b": ("pytorchcv", cv_preact.preresnet50b),
    "preresnet50": ("pytorchcv", cv_preact.preresnet50),
    "PreActResNet20": with_head("PreActResNet20"),
    "PreActResNet56": with_head("PreActResNet56", 7),
    "PreActResNet164": with_head("PreActResNet164"),
    "PreActResNet18": with_head("PreActResNet18"),
    "of small images": with_head("PreActResNet18", small_images=True),
    "ResNet34": with_head("ResNet34"),
    "ResNet20": with_head("ResNet20"),
    "PreActResNet50": with_head("PreActResNet50"),
    "ResNet50": with_head("ResNet50"),
}
DEPTHS = (18, 34, 50, 101, 152)
CASES |= {f"the real resnetv2_{n}": timms(f"resnetv2_{n}") for n in DEPTHS}
CASES |= {f"timm's real resnet{n}": timms(f"resnet{n}") for n in DEPTHS}
CASES |= {
    f"torchvision's real resnet{n}": (
        "torchvision",
        shipped("torchvision.models", f"resnet{n}"),
    )
    for n in DEPTHS
}
# A small one of each package in the fast suite, all in the whole one.
FIRST = ("preresnet20", "resnet20", "PreActResNet20")


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
    if name.startswith("timm's"):
        options["name"] = name.split()[-1]
    ours = from_weights(package, theirs.state_dict(), **options)
    # Only pytorchcv insists on the size of the paper's images.
    is_large = package == "pytorchcv" and ours.plan.depth == 50
    agree(theirs, ours, 224 if is_large else 32)
    again = make().double()
    again.load_state_dict(to_weights(package, ours))
    returned = again.state_dict()  # made anew by each call
    for key, value in theirs.state_dict().items():
        assert torch.equal(value, returned[key])


@pytest.mark.parametrize(
    ("package", "source", "make"),
    [
        *sampled(
            [
                ("timm", *with_head("PreActResNet18")),
                ("timm", *with_head("PreActResNet50")),
                ("torchvision", "pytorchcv", cv_original.resnet50b),
            ],
            3,
        )
    ],
)
def test_a_network_of_two_packages_is_read_under_either_name(
    package, source, make
):
    theirs = randomized(make()).state_dict()
    ours = from_weights(source, theirs)
    again = from_weights(package, renamed(package, theirs))
    assert again.plan == ours.plan
    for key, value in ours.state_dict().items():
        assert torch.equal(again.state_dict()[key], value)
    back = to_weights(package, again)
    assert back.keys() == renamed(package, theirs).keys()


ONES = torch.ones(3)
UNIT = "features.stage1.unit2.body.conv1"


def test_the_first_odd_name_or_shape_is_in_the_message():
    stem, head = "features.init_block.weight", "output.weight"
    mean = "features.post_activ.bn.running_mean"
    for changed, said in [
        ({head: None}, r"output\.weight is missing; the first name is feat"),
        ({stem: None}, "no network of original or full pre-activation units"),
        (
            {f"{UNIT}.bn.bias": None},
            r"unit2.body.conv1.bn.bias of .* is missing",
        ),
        ({f"{UNIT}.conv.weight": None}, "unit2.body.conv1.conv.weight of "),
        ({stem: torch.ones(0, 3, 3, 3)}, r"a convolution .* \(0, 3, 3, 3\)"),
        ({stem: ONES}, r"a convolution of 3 pixels; got shape \(3,\)"),
        ({head: ONES[0]}, r"have shape \(classes, channels\); got \(\)"),
        ({mean: ONES}, r"a ResNet-20 of .* shape \(64,\); got \(3,\)"),
        ({mean: ONES.new_ones(64).half()}, "of one kind, F16 .*; got F16, F3"),
        ({mean: torch.full((64,), torch.nan)}, "finite numbers; got 64 NaN"),
        (
            {"features.se.w": ONES},
            "features.se.w. has no place in a ResNet-20",
        ),
    ]:
        weights = cv_preact_cifar.preresnet20_cifar10().state_dict() | changed
        weights = {n: v for n, v in weights.items() if v is not None}
        with pytest.raises(ValueError, match=f"pytorchcv: .*{said}"):
            from_weights("pytorchcv", weights)
    with pytest.raises(ValueError, match="package must be one of 'pytorchcv'"):
        from_weights("keras", {})


@pytest.mark.slow
def test_a_timm_resnet_must_say_that_it_does_not_blur():
    """`resnetaa50` has the very weights of `resnet50`, and other logits."""
    theirs = cv_original.resnet50b().state_dict()
    weights = renamed("torchvision", theirs)
    for name in (None, "resnetaa50", "resnet50d", "resnet"):
        with pytest.raises(ValueError, match=f"name must be .* {name!r}"):
            from_weights("timm", weights, name=name)
    tagged = from_weights("timm", weights, name="resnet50.a1_in1k")
    assert tagged.plan.depth == 50


def test_a_unit_that_a_package_lacks_is_named_before_its_strides():
    conventions = Conventions(projection="conv BN")
    plan = cifar_plan(
        TABLE_1["dropout-shortcut"], depth=8, convs=2, conventions=conventions
    )
    with pytest.raises(
        ValueError, match=r"its units are `.*`; got `.*dropout"
    ):
        to_weights("pytorchcv", Network(plan))


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
        to_weights("pytorchcv", Network(plan))


def test_a_stride_that_a_package_does_not_have_is_refused():
    weights = cv_preact_cifar.preresnet164bn_cifar10().state_dict()
    with pytest.raises(ValueError, match="stride_on='3x3'"):
        from_weights("pytorchcv", weights, stride_on="first")
    with pytest.raises(ValueError, match=r"stride_on must be .*got 'second'"):
        from_weights("pytorchcv", weights, stride_on="second")


def test_imagenet_of_the_paper_goes_out_where_the_stem_agrees():
    conventions = Conventions(stride_on="3x3", stem=())
    plan = imagenet_plan(PREACT, depth=50, conventions=conventions)
    network = Network(plan, seed=0)
    assert "init_layer.0.weight" in to_weights("torch-resnet", network)
    with pytest.raises(
        ValueError, match="torchvision has no such network: none w"
    ):
        to_weights("torchvision", network)
