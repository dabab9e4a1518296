"""Trained weights in a file that says which network they belong to.

A safetensors file: the tensors under the names of `Network.state_dict()`, and
in its header the plan, the configuration of the run that trained them, if
one did, how the images were normalized and what the classes are called
(`network.preprocess`), and a checksum of it all. Nothing in it is ever
executed.

Examples
--------
>>> from tempfile import TemporaryDirectory
>>> from preact.nn import Network
>>> from preact.plan import cifar_plan
>>> from preact.weights import load, save
>>> plan = cifar_plan("full-preactivation", depth=20, convs=2)
>>> with TemporaryDirectory() as folder:
...     save(Network(plan, seed=1), f"{folder}/mine.safetensors")
...     network = load(f"{folder}/mine.safetensors")
>>> network.plan == plan, network.training
(True, False)
"""

from preact.weights.read import load, read_config, read_plan_of
from preact.weights.write import save, save_weights

__all__ = ["load", "read_config", "read_plan_of", "save", "save_weights"]
