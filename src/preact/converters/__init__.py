"""Weights of other packages in our networks, and ours in theirs.

Networks agree where their plans do: original and full pre-activation units,
for CIFAR and for ImageNet. The plan is read off names and shapes.
"""

from preact.converters.convert import from_weights, to_weights

__all__ = ["from_weights", "to_weights"]
