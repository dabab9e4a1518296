"""What other packages call the parts of a residual network."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Names of the layers in a package's state dictionary.

    `unit` is the prefix of a unit: `{stage}` and `{unit}` count from 1,
    `{stage0}` and `{unit0}` from 0. In `conv` and `norm` of a unit `{k}` is
    the number of the convolution, from 1; a norm has that of the one it
    precedes in a pre-activation unit, and follows in the original.
    `stem_kernels` are those of small and of large images; None is a layer
    that the network lacks; those with a tail are of full pre-activation.
    `first_strides` says that the package also strides on the first 1x1 of a
    bottleneck.
    """

    stem_conv: str
    stem_kernels: tuple[int, ...]
    stem_norm: str | None
    unit: str
    conv: str
    norm: str
    projection: str
    projection_norm: str | None
    tail: str | None
    classifier: str
    first_strides: bool = False
    head_is_conv: bool = False


# Each pair: the small network, then what its ImageNet sibling changes.
PYTORCHCV_PREACT = Layout(  # preresnet20_cifar10 and the like
    stem_conv="features.init_block",
    stem_kernels=(3,),
    stem_norm=None,
    unit="features.stage{stage}.unit{unit}.",
    conv="body.conv{k}.conv",
    norm="body.conv{k}.bn",
    projection="identity_conv",
    projection_norm=None,
    tail="features.post_activ.bn",
    classifier="output",
)
PYTORCHCV_ORIGINAL = replace(  # resnet20_cifar10 and the like
    PYTORCHCV_PREACT,
    stem_conv="features.init_block.conv",
    stem_norm="features.init_block.bn",
    projection="identity_conv.conv",
    projection_norm="identity_conv.bn",
    tail=None,
)
TORCH_RESNET_PREACT = Layout(
    stem_conv="init_layer",
    stem_kernels=(3,),
    stem_norm=None,
    unit="layers.{stage0}.{unit0}.",
    conv="conv{k}",
    norm="bn{k}",
    projection="shortcut.conv",
    projection_norm=None,
    tail="norm",
    classifier="head",
)

TORCHVISION = Layout(
    stem_conv="conv1",
    stem_kernels=(7,),
    stem_norm="bn1",
    unit="layer{stage}.{unit0}.",
    conv="conv{k}",
    norm="bn{k}",
    projection="downsample.0",
    projection_norm="downsample.1",
    tail=None,
    classifier="fc",
)
TIMM_PREACT = Layout(  # resnetv2_50 and the like
    stem_conv="stem.conv",
    stem_kernels=(7,),
    stem_norm=None,
    unit="stages.{stage0}.blocks.{unit0}.",
    conv="conv{k}",
    norm="norm{k}",
    projection="downsample.conv",
    projection_norm=None,
    tail="norm",
    classifier="head.fc",
    head_is_conv=True,
)

LAYOUTS: dict[str, tuple[Layout, ...]] = {
    "pytorchcv": (
        PYTORCHCV_PREACT,
        replace(
            PYTORCHCV_PREACT,
            stem_conv="features.init_block.conv",
            stem_kernels=(7,),
            stem_norm="features.init_block.bn",
            first_strides=True,
        ),
        PYTORCHCV_ORIGINAL,
        replace(
            PYTORCHCV_ORIGINAL,
            stem_conv="features.init_block.conv.conv",
            stem_kernels=(7,),
            stem_norm="features.init_block.conv.bn",
            first_strides=True,
        ),
    ),
    "torch-resnet": (
        TORCH_RESNET_PREACT,
        replace(
            TORCH_RESNET_PREACT, stem_conv="init_layer.0", stem_kernels=(7,)
        ),
        replace(
            TORCH_RESNET_PREACT,
            stem_conv="init_layer.0",
            stem_kernels=(3, 7),
            stem_norm="init_layer.1",
            projection="shortcut.0.conv",
            projection_norm="shortcut.1",
            tail=None,
        ),
    ),
    "torchvision": (TORCHVISION,),
    "timm": (TIMM_PREACT, TORCHVISION),  # its ResNets bear torchvision's names
}
