"""One pass of any module, written down operation by operation.

Neither `torch.fx` nor `torch.export` reads all that people write; below
PyTorch's dispatcher every network is the same few operations. A tensor is
followed by what it is, not by its name: what a call returns unchanged is the
same signal, what is changed in place is a new one.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.weak import WeakIdKeyDictionary

from preact.conformance.arithmetic import (
    FACTORS,
    SUMS,
    Constant,
    Meaning,
    arithmetic,
)
from preact.conformance.graph import ROOT, Graph, Kind, Node
from preact.conformance.kinds import SAME, kind_of, name_of

RANDOM = ("bernoulli", "rand", "uniform", "normal", "native_dropout")


See = Callable[[Node, Tensor], None]


class Refusal(ValueError):
    """Why a network cannot be probed, in one sentence."""


class Trace(TorchDispatchMode):
    """Writes down what runs inside of it.

    Parameters
    ----------
    names, places : mappings of int to str
        The parameters, by `id` and by the memory that only they lie in.
    inputs : sequence of Tensor
        The images.
    see : callable, optional
        Is handed each node with its value.
    zero : mapping of int to set of int, optional
        Additions, by node, and the places of the arguments to be replaced by
        zeros.
    """

    def __init__(
        self,
        names: Mapping[int, str],
        places: Mapping[int, str],
        inputs: Sequence[Tensor],
        see: See | None = None,
        zero: Mapping[int, set[int]] | None = None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.names, self.places = names, places
        self.graph = Graph()
        self.graph.nodes.append(
            Node(ROOT, Kind.IMAGES, (), tuple(inputs[0].shape))
        )
        self.see, self.zero = see, zero or {}
        self._meanings = WeakIdKeyDictionary()
        self._written: dict[int, int] = {}  # storage: last change in place
        self._dtypes: dict[int, torch.dtype] = {}  # as the node was made
        for x in inputs:
            self._mean(x, ROOT)
        if see:
            see(self.graph.nodes[ROOT], inputs[0])

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        tensors = [
            leaf
            for leaf in tree_leaves((args, kwargs))
            if isinstance(leaf, Tensor)
        ]
        meanings = [self.meaning(x) for x in tensors]
        params = tuple(
            dict.fromkeys(
                name
                for one in meanings
                if isinstance(one, Constant)
                for name in one.params
            )
        )
        count = sum(isinstance(one, int) for one in meanings)
        if self.zero and count > 1 and name_of(func) in SUMS:
            args = self._without_branches(func, args)
        out = func(*args, **kwargs)
        self._write(func, args, kwargs, tensors, meanings, params, out)
        return out

    def _without_branches(
        self, func: Any, args: tuple[Any, ...]
    ) -> tuple[Any, ...]:
        """Put zeros in the place of branches, if it is one's addition.

        Only of a sum of signals: a comparison of constants, say, is not
        written down, so the sum that follows it has the same number.
        """
        places = self.zero.get(len(self.graph.nodes), set())
        if func._schema.is_mutable and 0 in places:
            args[0].zero_()
            places = places - {0}
        return tuple(
            torch.zeros_like(one) if i in places else one
            for i, one in enumerate(args)
        )

    def _write(
        self,
        func: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        tensors: list[Tensor],
        meanings: list[Meaning],
        params: tuple[str, ...],
        out: Any,
    ) -> None:
        """Write one operation down."""
        name = name_of(func)
        results = [one for one in tree_leaves(out) if isinstance(one, Tensor)]
        if not results:
            return
        in_place = func._schema.is_mutable
        signals = [
            (x, m)
            for x, m in zip(tensors, meanings, strict=True)
            if isinstance(m, int)
        ]
        if name in ("empty_like", "zeros_like", "ones_like", "full_like") or (
            name.startswith(("new_", "rand", "zeros", "ones"))
        ):
            signals = []
        if name == "copy" and len(signals) and len(tensors) > 1:
            signals = [(x, m) for x, m in signals if x is tensors[1]]
        self.graph.used.update(params if signals else ())
        for x, m in signals:
            if x.requires_grad:
                self.graph.heard.add(m)
            elif torch.is_grad_enabled() and x.is_floating_point():
                self.graph.deaf.add(m)
        if not signals:
            random = name.startswith(RANDOM) or any(
                isinstance(m, Constant) and m.random for m in meanings
            )
            for result in results:
                self._mean(result, Constant(params, random), in_place, tensors)
            return
        first = results[0]
        if first.is_inference():
            raise Refusal(
                "the network must not be probed, nor run itself, under "
                "torch.inference_mode; it made an inference tensor"
            )
        if is_same(name, signals, first) and not self._rounds(
            *signals[0], first
        ):
            self._mean(first, signals[0][1], in_place, tensors)
            return
        kind, facts = self._kind(name, args, kwargs, signals, meanings, first)
        node = self._add(kind, name, signals, first, params, facts)
        self._mean(first, node.index, in_place, tensors)
        if kind in (Kind.NORM, Kind.MAX_POOL):
            return  # statistics and places
        for other in results[1:]:
            twin = self._add(
                kind if kind is Kind.SLICE else Kind.OTHER,
                name,
                signals,
                other,
                (),
                facts,
            )
            self._mean(other, twin.index, among=tensors)

    def _rounds(self, x: Tensor, node: int, out: Tensor) -> bool:
        """Whether a copy is a cast that loses digits of its node."""
        return loses(self._dtypes.get(node, x.dtype), out.dtype)

    def _add(
        self,
        kind: Kind,
        name: str,
        signals: list[tuple[Tensor, int]],
        out: Tensor,
        params: tuple[str, ...],
        facts: dict[str, Any],
    ) -> Node:
        """Append a node."""
        node = Node(
            len(self.graph.nodes),
            kind,
            tuple(m for _, m in signals),
            tuple(out.shape),
            name,
            params,
            facts,
        )
        self.graph.nodes.append(node)
        self._dtypes[node.index] = out.dtype
        if self.see:
            self.see(node, out)
        return node

    def _kind(
        self,
        name: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        signals: list[tuple[Tensor, int]],
        meanings: list[Meaning],
        out: Tensor,
    ) -> tuple[Kind, dict[str, Any]]:
        """Classify: sums and products here, the others by their name."""
        if name in SUMS | FACTORS:
            return arithmetic(name, args, kwargs, signals, meanings)
        return kind_of(name, args, [x for x, _ in signals], out)

    def meaning(self, x: Tensor) -> Meaning:
        """Return which signal, or constant, a tensor is now."""
        kept = self._meanings.get(x)
        if kept is None:
            name = self.names.get(id(x)) or self.places.get(storage_of(x))
            return Constant((name,) if name else ())
        meaning, version = kept
        if version == version_of(x):
            return meaning  # type: ignore[no-any-return]
        return self._overwritten(x, meaning)

    def _overwritten(self, x: Tensor, old: Meaning) -> Meaning:
        """Resolve a tensor of which another view was changed in place."""
        new = self._written.get(storage_of(x))
        if new is None:
            return old
        kind, parents = Kind.VIEW, [new]
        changed = self.graph.nodes[new].shape
        if torch.Size(changed).numel() < x.numel():
            kind = Kind.PAD if isinstance(old, Constant) else Kind.CONCATENATE
            parents += [old] if isinstance(old, int) else []
        node = Node(
            len(self.graph.nodes), kind, tuple(parents), tuple(x.shape)
        )
        self.graph.nodes.append(node)
        self._meanings[x] = (node.index, version_of(x))
        return node.index

    def _mean(
        self,
        x: Tensor,
        meaning: Meaning,
        changed: bool = False,
        among: Sequence[Tensor] = (),
    ) -> None:
        """Remember what a tensor is.

        A change in place is counted only after it; and a view takes up the
        count of what it is a view of.
        """
        place = storage_of(x)
        counts = [version_of(y) for y in among if storage_of(y) == place]
        version = max(counts, default=version_of(x)) + changed
        self._meanings[x] = (meaning, version)
        if changed and isinstance(meaning, int):
            self._written[place] = meaning


def is_same(name: str, signals: list[tuple[Tensor, int]], out: Tensor) -> bool:
    """Whether an operation hands its signal on as it is."""
    if len(signals) != 1:
        return False
    if name in SAME or name == "copy":
        return out.shape == signals[0][0].shape
    return (
        name in ("view", "_unsafe_view", "expand", "slice", "reshape")
        and out.shape == signals[0][0].shape
    )


def loses(before: torch.dtype, after: torch.dtype) -> bool:
    """Whether a cast of numbers rounds them."""
    if not before.is_floating_point:
        return False
    return (
        not after.is_floating_point
        or torch.finfo(after).eps > torch.finfo(before).eps
    )


def version_of(x: Tensor) -> int:
    """How often a tensor was changed in place; 0 where nobody counts."""
    return 0 if x.is_inference() else x._version


def storage_of(x: Tensor) -> int:
    """Which memory a tensor lies in."""
    place: int = x.untyped_storage()._cdata
    return place


def parameter_names(
    module: nn.Module,
) -> tuple[dict[int, str], dict[int, str]]:
    """The parameters' names by `id`, and by memory where it is their own.

    A shared parameter has the first of its names.
    """
    names: dict[int, str] = {}
    places: dict[int, list[str]] = {}
    for name, value in module.named_parameters(remove_duplicate=False):
        if id(value) not in names:
            names[id(value)] = name
            places.setdefault(storage_of(value), []).append(name)
    own = {place: one[0] for place, one in places.items() if len(one) == 1}
    return names, own


def trace(
    module: nn.Module,
    inputs: Sequence[Tensor],
    see: See | None = None,
    zero: Mapping[int, set[int]] | None = None,
) -> tuple[Graph, list[Tensor]]:
    """Run a module once; return what it computes, and its results.

    Raises
    ------
    Refusal
        If nothing that it returns is a tensor, or one is an inference tensor.
    """
    writer = Trace(*parameter_names(module), inputs, see, zero)
    with writer:
        result = module(*inputs)
    results = [x for x in leaves_of(result) if isinstance(x, Tensor)]
    if not results:
        raise Refusal(
            "the network must return a tensor; it returned "
            f"{type(result).__name__}"
        )
    meanings = [writer.meaning(x) for x in results]
    signals = [one for one in meanings if isinstance(one, int)]
    writer.graph.output = signals[0] if signals else ROOT
    writer.graph.dominate()
    return writer.graph, [x.detach() for x in results]


def leaves_of(result: Any) -> list[Any]:
    """Flatten what a module returns, its own dictionaries too."""
    if isinstance(result, Mapping):
        return [leaf for one in result.values() for leaf in leaves_of(one)]
    if isinstance(result, list | tuple):
        return [leaf for one in result for leaf in leaves_of(one)]
    return list(tree_leaves(result))
