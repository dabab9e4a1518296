"""What small networks compute with."""

import pytest
import torch

from preact.book.stacks import single_thread


@single_thread()
def interrupted():
    raise KeyboardInterrupt(torch.get_num_threads())


def test_threads_come_back_when_a_computation_breaks_off():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    with pytest.raises(KeyboardInterrupt, match=r"^1$"):
        interrupted()
    after = torch.get_num_threads()
    torch.set_num_threads(before)
    assert after == 3
