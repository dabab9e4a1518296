"""One pass of any module, written down operation by operation.

Neither `torch.fx` nor `torch.export` reads all that people write; below
PyTorch's dispatcher every network is the same few operations. A tensor is
followed by what it is, not by its name: what a call returns unchanged is the
same signal, what is changed in place is a new one.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.weak import WeakIdKeyDictionary

from preact.conformance.graph import ROOT, Facts, Graph, Kind, Node
from preact.conformance.operations import (
    RANDOM,
    SUMS,
    Call,
    Constant,
    Origin,
    classify,
)

See = Callable[[Node, Tensor], None]
Zero = Mapping[int, set[int]]


class Refusal(ValueError):
    """Why a network cannot be probed, in one sentence."""


class Trace(TorchDispatchMode):
    """Writes down what runs inside of it.

    A module's parameters are known by where they lie. `see` is handed each
    node with its value; `zero` names additions, and the places of the
    arguments that are replaced by zeros.
    """

    def __init__(
        self,
        module: nn.Module,
        x: Tensor,
        see: See | None = None,
        zero: Zero | None = None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.graph, self.see, self.zero = Graph(), see, zero or {}
        self._names: dict[tuple[int, int], str] = {}
        for name, value in module.named_parameters(remove_duplicate=False):
            self._names.setdefault(place_of(value), name)  # if shared, first
        self._origins = WeakIdKeyDictionary()
        self._written: dict[int, int] = {}  # storage: last change in place
        self._add(Kind.IMAGES, None, x, Facts())
        self._remember(x, ROOT)

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        leaves = tree_leaves((args, kwargs))
        tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
        origins = [self.origin_of(x) for x in tensors]
        call = Call(func, args, kwargs, tensors, origins)
        if call.name in SUMS and len(call.signals) > 1:
            args = self._without_branches(call)
        out = func(*args, **kwargs)
        results = [one for one in tree_leaves(out) if isinstance(one, Tensor)]
        if results and call.signals:
            self._trace_operation(call, results)
        elif results:
            drawn = call.name.startswith(RANDOM)
            constant = Constant(call.params, call.has_chance or drawn)
            for result in results:
                self._remember(result, constant, call)
        return out

    def _without_branches(self, call: Call) -> tuple[Any, ...]:
        """Put zeros in the place of branches, if it is a unit's addition."""
        places = self.zero.get(len(self.graph.nodes), set())
        if call.in_place and 0 in places:
            call.args[0].zero_()
            places = places - {0}
        return tuple(
            torch.zeros_like(one) if i in places else one
            for i, one in enumerate(call.args)
        )

    def _trace_operation(self, call: Call, results: list[Tensor]) -> None:
        """Add the node of an operation on signals, unless it changes none."""
        self.graph.used.update(call.params)
        for x, node in call.signals:
            if x.requires_grad:
                self.graph.receives_gradient.add(node)
            elif torch.is_grad_enabled() and x.is_floating_point():
                self.graph.without_gradient.add(node)
        out, *others = results
        if call.is_same(out):
            self._remember(out, call.signals[0][1], call)
            return
        kind, facts = classify(call, out)
        self._remember(out, self._add(kind, call, out, facts), call)
        if kind in (Kind.NORM, Kind.MAX_POOL):
            return  # the others are statistics, and places
        twin = kind if kind is Kind.SLICE else Kind.OTHER
        for other in others:
            index = self._add(twin, call, other, facts)
            self._remember(other, index, call, in_place=False)

    def _add(
        self, kind: Kind, call: Call | None, out: Tensor, facts: Facts
    ) -> int:
        """Append a node; without a call, the images."""
        node = Node(len(self.graph.nodes), kind, (), tuple(out.shape))
        node.facts = facts
        if call:
            node.parents = tuple(parent for _, parent in call.signals)
            node.operation, node.params = call.name, call.params
        self.graph.nodes.append(node)
        if self.see:
            self.see(node, out)
        return node.index

    def origin_of(self, x: Tensor) -> Origin:
        """Return which node, or constant, a tensor is now."""
        kept = self._origins.get(x)
        if kept is None:
            name = self._names.get(place_of(x))
            return Constant((name,) if name else ())
        origin, version = kept
        if version == x._version:
            return origin  # type: ignore[no-any-return]
        return self._overwritten(x, origin)

    def _overwritten(self, x: Tensor, old: Origin) -> Origin:
        """Resolve a tensor of which another view was changed in place."""
        new = self._written.get(storage_of(x))
        if new is None:
            return old
        kind = Kind.VIEW
        parents: tuple[int, ...] = (new,)
        if math.prod(self.graph.nodes[new].shape) < x.numel():
            kind = Kind.PAD if isinstance(old, Constant) else Kind.CONCATENATE
            parents += (old,) if isinstance(old, int) else ()
        index = len(self.graph.nodes)
        self.graph.nodes.append(Node(index, kind, parents, tuple(x.shape)))
        self._origins[x] = (index, x._version)
        return index

    def _remember(
        self,
        x: Tensor,
        origin: Origin,
        call: Call | None = None,
        in_place: bool | None = None,
    ) -> None:
        """Remember what a tensor is.

        A change in place is counted only after it; and a view takes up the
        count of what it is a view of.
        """
        changed = bool(call and call.in_place and in_place is not False)
        place = storage_of(x)
        among = call.tensors if call else []
        counts = [y._version for y in among if storage_of(y) == place]
        version = max(counts, default=x._version) + changed
        self._origins[x] = (origin, version)
        if changed and isinstance(origin, int):
            self._written[place] = origin


def storage_of(x: Tensor) -> int:
    """Which memory a tensor lies in."""
    return place_of(x)[0]


def place_of(x: Tensor) -> tuple[int, int]:
    """Which memory a tensor lies in, and where it begins there."""
    return x.untyped_storage()._cdata, int(x.storage_offset())


def trace(
    module: nn.Module,
    x: Tensor,
    see: See | None = None,
    zero: Zero | None = None,
) -> tuple[Graph, list[Tensor]]:
    """Run a module once; return what it computes, and its results.

    Refuse one that returns no tensor.
    """
    # Autograd's own detached copies are nodes too, so they must recur.
    with (
        torch.set_grad_enabled(module.training),
        Trace(module, x, see, zero) as writer,
    ):
        result = module(x)
    results = [x for x in tree_leaves(result) if isinstance(x, Tensor)]
    if not results:
        raise Refusal(
            "the network must return a tensor; it returned "
            f"{type(result).__name__}"
        )
    origins = [writer.origin_of(x) for x in results]
    signals = [one for one in origins if isinstance(one, int)]
    writer.graph.output = signals[0] if signals else ROOT
    writer.graph.dominate()
    return writer.graph, [x.detach() for x in results]
