"""Networks of other packages that take more than one call to make.

Each function imports its package when it is called; weights are random and
nothing is downloaded. `survey.toml` names them beside plain addresses.
"""

from importlib import import_module
from typing import Any

from torch import Tensor, nn

CLASSES = 10


def _headed(name: str) -> nn.Module:
    """A network of torch-resnet with the classifier its README adds."""
    network = getattr(import_module("torch_resnet"), name)()
    network.set_head(nn.Linear(network.out_planes, CLASSES))
    return network  # type: ignore[no-any-return]


def torch_resnet_20() -> nn.Module:
    """Original units of two convolutions."""
    return _headed("ResNet20")


def torch_resnet_preact_110() -> nn.Module:
    """Full pre-activation, two convolutions."""
    return _headed("PreActResNet110")


def torch_resnet_preact_1001() -> nn.Module:
    """Full pre-activation, bottleneck."""
    return _headed("PreActResNet1001")


def _segmentation(name: str) -> nn.Module:
    """A decoder on a ResNet-18."""
    make = getattr(import_module("segmentation_models_pytorch"), name)
    network: nn.Module = make("resnet18", encoder_weights=None)
    return network


def smp_unet() -> nn.Module:
    """A decoder that concatenates."""
    return _segmentation("Unet")


def smp_linknet() -> nn.Module:
    """A decoder that adds."""
    return _segmentation("Linknet")


def smp_fpn() -> nn.Module:
    """A pyramid: 1x1 convolutions on long shortcuts."""
    return _segmentation("FPN")


class Embedded(nn.Module):
    """A language model, called with embeddings in place of tokens."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        self.model.set_input_embeddings(nn.Identity())  # type: ignore[operator]

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.model(inputs_embeds=x).last_hidden_state
        return result


def _language_model(name: str, **sizes: Any) -> nn.Module:
    """A small model from a configuration."""
    package = import_module("transformers")
    config = getattr(package, f"{name}Config")(**sizes)
    return Embedded(getattr(package, f"{name}Model")(config))


def transformers_bert() -> nn.Module:
    """Post-LN, as first published."""
    return _language_model(
        "Bert",
        hidden_size=64,
        num_hidden_layers=4,
        num_attention_heads=4,
        intermediate_size=128,
    )


def transformers_gpt2() -> nn.Module:
    """Pre-LN."""
    return _language_model("GPT2", n_embd=64, n_layer=4, n_head=4)


def transformers_llama() -> nn.Module:
    """Pre-norm, with the root mean square alone."""
    return _language_model(
        "Llama",
        hidden_size=64,
        num_hidden_layers=4,
        num_attention_heads=4,
        intermediate_size=128,
    )


def transformers_resnet() -> nn.Module:
    """ResNet-50 of Transformers."""
    package = import_module("transformers")
    network: nn.Module = package.ResNetForImageClassification(
        package.ResNetConfig(num_labels=CLASSES)
    )
    return network


def transformers_bit() -> nn.Module:
    """Big Transfer, pre-activation with group norm."""
    package = import_module("transformers")
    network: nn.Module = package.BitForImageClassification(
        package.BitConfig(num_labels=CLASSES)
    )
    return network


def transformers_vit() -> nn.Module:
    """A small vision transformer."""
    package = import_module("transformers")
    network: nn.Module = package.ViTForImageClassification(
        package.ViTConfig(
            hidden_size=64,
            num_hidden_layers=4,
            num_attention_heads=4,
            intermediate_size=128,
        )
    )
    return network
