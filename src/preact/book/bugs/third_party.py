"""Networks of other packages that take more than one call to make.

Each imports its package when it is called; weights are random and nothing is
downloaded. `survey.toml` names them beside plain addresses.
"""

from functools import partial
from importlib import import_module
from typing import Any

from torch import Tensor, nn

CLASSES = 10
SMALL = {
    "hidden_size": 64,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "intermediate_size": 128,
}


def _torch_resnet(name: str) -> nn.Module:
    """A network of torch-resnet with the classifier its README adds."""
    network = getattr(import_module("torch_resnet"), name)()
    network.set_head(nn.Linear(network.out_planes, CLASSES))
    return network  # type: ignore[no-any-return]


def _segmentation(name: str) -> nn.Module:
    """A decoder on a ResNet-18."""
    make = getattr(import_module("segmentation_models_pytorch"), name)
    network: nn.Module = make("resnet18", encoder_weights=None)
    return network


def _transformers(name: str, kind: str, **sizes: Any) -> nn.Module:
    """A network of Transformers from a configuration."""
    package = import_module("transformers")
    config = getattr(package, f"{name}Config")(**sizes)
    return getattr(package, f"{name}{kind}")(config)  # type: ignore[no-any-return]


class Embedded(nn.Module):
    """A language model, called with embeddings in place of tokens."""

    def __init__(self, name: str, **sizes: int) -> None:
        super().__init__()
        self.model = _transformers(name, "Model", **sizes)
        self.model.set_input_embeddings(nn.Identity())  # type: ignore[operator]

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.model(inputs_embeds=x).last_hidden_state
        return result


_classifier = partial(_transformers, kind="ForImageClassification")

torch_resnet_20 = partial(_torch_resnet, "ResNet20")
torch_resnet_preact_110 = partial(_torch_resnet, "PreActResNet110")
torch_resnet_preact_1001 = partial(_torch_resnet, "PreActResNet1001")
smp_unet = partial(_segmentation, "Unet")  # concatenates
smp_linknet = partial(_segmentation, "Linknet")  # adds
smp_fpn = partial(_segmentation, "FPN")  # 1x1 convolutions on long shortcuts
transformers_bert = partial(Embedded, "Bert", **SMALL)  # post-LN
transformers_gpt2 = partial(Embedded, "GPT2", n_embd=64, n_layer=4, n_head=4)
transformers_llama = partial(Embedded, "Llama", **SMALL)  # RMS norm
transformers_resnet = partial(_classifier, "ResNet", num_labels=CLASSES)
transformers_bit = partial(_classifier, "Bit", num_labels=CLASSES)
transformers_vit = partial(_classifier, "ViT", **SMALL)
