"""Right and wrong answers to the exercises, a module for each chapter."""

from answers import (
    activations,
    afterlife,
    bugs,
    depth,
    gradient,
    imagenet,
    shortcuts,
    signal,
    summary,
    training,
    units,
    why,
)

# In the order of the chapters.
MODULES = (
    *(why, signal, gradient, units, shortcuts, activations, depth),
    *(training, imagenet, afterlife, bugs, summary),
)
