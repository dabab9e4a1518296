"""Right and wrong answers to the exercises, a module for each chapter."""

from answers import (
    activations,
    depth,
    gradient,
    imagenet,
    shortcuts,
    signal,
    units,
    why,
)

# In the order of the chapters.
MODULES = (
    *(why, signal, gradient, units, shortcuts, activations, depth),
    imagenet,
)
