"""From 20 layers to 1001: exercises."""

import math

from preact.book.exercises import Number

EXERCISES = {
    # length of weights after a step at a right angle
    "depth-1": Number(math.sqrt(2), 3),
    # power of the depth with which the control's gradient grows
    "depth-2": Number(0.5 * math.pi / (math.pi - 1), 2),
    # of four objections, the one that the records do not bear out
    "depth-3": Number(3, sentences=4),
}
