"""A contestant on its device, ready to step: eagerly or as one CUDA graph.

Chapter `08-training`.
"""

from contextlib import AbstractContextManager, nullcontext

import torch
import torch.nn.functional as nnf
from torch import Tensor

from preact.bench.contestants import Contestant
from preact.train.footprint import network_bytes

WARM_UP = 3  # steps before a capture, as PyTorch's notes on graphs ask
LOSS_SCALE = 1024.0  # constant: a time does not depend on it


class Racer:
    """Network, optimizer and one batch of a contestant.

    Parameters
    ----------
    contestant : Contestant
    images : (N, C, H, W) float32
    labels : (N,) int64
        On the device.
    """

    def __init__(
        self, contestant: Contestant, images: Tensor, labels: Tensor
    ) -> None:
        self.contestant, self.labels = contestant, labels
        layout = (
            torch.channels_last
            if contestant.channels_last
            else torch.contiguous_format
        )
        self.images = images.contiguous(memory_format=layout)
        self.network = contestant.build().to(images.device)
        self.network.to(memory_format=layout)  # type: ignore[call-overload]
        self.sgd = torch.optim.SGD(
            self.network.parameters(),
            lr=1e-3,
            momentum=0.9,
            nesterov=True,
            weight_decay=1e-4,
            fused=contestant.fused_sgd or None,
        )
        self.graph: torch.cuda.CUDAGraph | None = None

    def bytes_per_image(self) -> tuple[int | None, int]:
        """Activations kept between the passes (CPU only), and the peak."""
        if self.images.device.type == "cpu":
            few = self.images[:2]
            return network_bytes(self.network, few)
        self.step()
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        self.step()
        peak = torch.cuda.max_memory_allocated() - before
        return None, peak // len(self.images)

    def capture(self) -> None:
        """Record the whole step as one CUDA graph, if it is to be one."""
        if not self.contestant.graph:
            return
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(WARM_UP):
                self.step()
        torch.cuda.current_stream().wait_stream(stream)
        self.sgd.zero_grad(set_to_none=True)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self.step()
        self.graph = graph

    def train(self) -> None:
        """One training step, the data at hand."""
        if self.graph:
            self.graph.replay()
        else:
            self.step()

    def step(self) -> None:
        """Forward, loss, backward, SGD; every call on its own."""
        self.network.train()
        with self._arithmetic():
            loss = nnf.cross_entropy(self.network(self.images), self.labels)
        if self.contestant.half:
            loss = loss * LOSS_SCALE
        self.sgd.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        self.sgd.step()

    @torch.no_grad()
    def forward(self) -> None:
        """One forward pass in evaluation."""
        self.network.eval()
        with self._arithmetic():
            self.network(self.images)

    def _arithmetic(self) -> AbstractContextManager[object]:
        """Half precision, or the precision of the weights."""
        if self.contestant.half:
            return torch.autocast(self.images.device.type, torch.float16)
        return nullcontext()
