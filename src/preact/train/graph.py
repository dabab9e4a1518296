"""Work recorded as a CUDA graph: thousands of kernels, one launch.

Chapter `08-training`.
"""

from collections.abc import Callable
from typing import Any

import torch

Pool = Any  # what `torch.cuda.graph_pool_handle` gives
WARM_UP = 3  # times before a recording, as PyTorch's notes on graphs ask


class Graph:
    """Work on tensors that stay where they are, ready to be repeated.

    Parameters
    ----------
    work : callable
        Launches kernels on the current GPU and never waits for them. It is
        done `WARM_UP` times, which changes what it changes, and recorded
        once, which does not.
    pool : Pool, optional
        Memory of other graphs that may be used again, since they never run
        at the same time.
    """

    def __init__(
        self, work: Callable[[], None], pool: Pool | None = None
    ) -> None:
        now = torch.cuda.current_stream()
        aside = torch.cuda.Stream()
        aside.wait_stream(now)
        with torch.cuda.stream(aside):
            for _ in range(WARM_UP):
                work()
        now.wait_stream(aside)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, pool=pool):
            work()

    def replay(self) -> None:
        """Do the work again."""
        self.graph.replay()
