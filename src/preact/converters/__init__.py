"""Weights of other packages in our networks, and ours in theirs.

Networks agree where their plans do: original and full pre-activation units,
for CIFAR and for ImageNet. The plan is read off names and shapes.

Examples
--------
>>> from preact.converters import from_weights, to_weights
>>> from preact.nn import Network
>>> from preact.plan import Conventions, cifar_plan
>>> plan = cifar_plan(
...     "full-preactivation",
...     depth=20,
...     convs=2,
...     conventions=Conventions(first_tap="before pre", projection="conv"),
... )
>>> weights = to_weights("pytorchcv", Network(plan, seed=0))
>>> list(weights)[:2]
['features.init_block.weight', 'features.stage1.unit1.body.conv1.bn.weight']
>>> from_weights("pytorchcv", weights).plan.depth
20
"""

from preact.converters.convert import from_weights, to_weights

__all__ = ["from_weights", "to_weights"]
