"""A whole network: stem, units, tail and classifier, with every shape."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from preact.plan.layers import Init, Layer, Linear, Shape
from preact.plan.unit import UnitPlan
from preact.spec import UnitSpec


@dataclass(frozen=True, kw_only=True)
class PlacedLayer:
    """A layer in its network: full name, shapes that it reads and writes.

    Parameters
    ----------
    name : str
        Of the layer; in a unit with the unit's in front, as
        "units.3.weights.0".
    layer : Layer
        The layer without its place.
    shape_in : Shape
        What it reads.
    shape_out : Shape
        What it writes.

    Examples
    --------
    >>> from preact.plan import imagenet_plan
    >>> stem = imagenet_plan("original", depth=50).placed_layers[0]
    >>> stem.name, stem.shape_in, stem.shape_out
    ('stem.0', (3, 224, 224), (64, 112, 112))
    >>> stem.multiply_adds
    118013952
    """

    name: str
    layer: Layer
    shape_in: Shape
    shape_out: Shape

    @property
    def multiply_adds(self) -> int:
        return self.layer.multiply_adds(self.shape_in)


@dataclass(frozen=True, kw_only=True)
class NetworkPlan:
    """Stem, units, tail and classifier, with every choice resolved.

    `depth == convs * len(units) + 2` in every network of the paper: the
    convolutions of the units, the stem's and the classifier. A stack has no
    stem convolution, and its depth is `convs * len(units) + 1`.

    Parameters
    ----------
    spec : UnitSpec
        The unit; the first one lacks `pre` where the stem of ImageNet stands
        for it ("fair").
    depth : int
        Counted layers: convolutions of units, the classifier and, but for a
        stack, the stem's convolution.
    convs : {1, 2, 3}
        Convolutions per unit.
    image : Shape
        What the network reads.
    classes : int
        Outputs of the classifier.
    stem : tuple of Layer
        What stands before the first unit.
    units : tuple of UnitPlan
        The units, every choice resolved.
    stages : tuple of range
        Indices of the units of each stage, from 0.
    tail : tuple of Layer
        What stands between the last unit and pooling.
    init : Init
        How weights of convolutions are drawn.

    Examples
    --------
    >>> from preact.plan import cifar_plan
    >>> plan = cifar_plan("full-preactivation", depth=1001, convs=3)
    >>> len(plan.units), [len(stage) for stage in plan.stages]
    (333, [111, 111, 111])
    >>> [i for i, unit in enumerate(plan.units) if unit.projection]
    [0, 111, 222]
    >>> plan.stream_shapes[-1], f"{plan.multiply_adds / 1e9:.2f} G"
    ((256, 8, 8), '1.49 G')
    """

    spec: UnitSpec
    depth: int
    convs: int
    image: Shape
    classes: int
    stem: tuple[Layer, ...]
    units: tuple[UnitPlan, ...]
    stages: tuple[range, ...]
    tail: tuple[Layer, ...]
    init: Init

    @cached_property
    def classifier(self) -> Linear:
        return Linear(
            name="classifier", c_in=self.units[-1].c_out, c_out=self.classes
        )

    @cached_property
    def placed_layers(self) -> tuple[PlacedLayer, ...]:
        """Every layer with its full name and shapes, in order of forward."""
        return tuple(self._walk())

    def _walk(self) -> Iterator[PlacedLayer]:
        shape = self.image
        for layer in self.stem:
            placed = _place("", layer, shape)
            yield placed
            shape = placed.shape_out
        for i, unit in enumerate(self.units):
            x, prefix = shape, f"units.{i}."
            for layer in (*unit.pre, *unit.weights, *unit.post):
                placed = _place(prefix, layer, shape)
                yield placed
                shape = placed.shape_out
            for path, start in ((unit.shortcut, x), (unit.gate, x)):
                for layer in path:
                    placed = _place(prefix, layer, start)
                    yield placed
                    start = placed.shape_out
            for layer in unit.after:
                yield _place(prefix, layer, shape)
        for layer in (*self.tail, self.classifier):
            yield _place("", layer, shape)

    @cached_property
    def stream_shapes(self) -> tuple[Shape, ...]:
        """Shape of x_0, ..., x_L: what the units hand to each other."""
        shape = self.image
        for layer in self.stem:
            shape = layer.out(shape)
        shapes = [shape]
        for unit in self.units:
            for layer in unit.weights:
                shape = layer.out(shape)
            shapes.append(shape)
        return tuple(shapes)

    @cached_property
    def tensors(self) -> dict[str, tuple[int, ...]]:
        """Shapes in `Network(plan).state_dict()`, without a network."""
        return {
            f"{placed.name}.{name}": shape
            for placed in self.placed_layers
            for name, shape in placed.layer.tensors.items()
        }

    @cached_property
    def parameters(self) -> int:
        return sum(placed.layer.parameters for placed in self.placed_layers)

    @cached_property
    def multiply_adds(self) -> int:
        """Multiply-adds of convolutions and classifier for one image."""
        return sum(placed.multiply_adds for placed in self.placed_layers)


def _place(prefix: str, layer: Layer, shape: Shape) -> PlacedLayer:
    """Place a layer where it reads `shape`."""
    return PlacedLayer(
        name=prefix + layer.name,
        layer=layer,
        shape_in=shape,
        shape_out=layer.out(shape),
    )
