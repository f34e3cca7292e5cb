"""A heap with the same offsets on each rank, and a context that tells kernels its addresses: the part of Iris that
traced kernels need."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..errors import KernloopError
from .host import TAIL, Tracing
from .memory import SoftgpuMemory, TorchMemory

_ALIGNMENT = 256


class Iris:
    """One rank, created by `iris` or `iris_in_process`."""

    def __init__(self, memory: SoftgpuMemory | TorchMemory, rank: int, ranks: int, heap_size: int) -> None:
        if heap_size <= 0:
            raise KernloopError("USAGE", f"a heap of {heap_size} bytes", "give the bytes that the arrays of a rank need together")
        self.memory = memory
        self.cur_rank = rank
        self.num_ranks = ranks
        self.heap_size = heap_size
        self.heap = memory.empty(heap_size, "uint8")
        self.heap_bases: list[int] = []
        self._used = 0
        self._context: Any = memory.empty(2 + ranks + TAIL, "int64")
        self.tracing = Tracing(memory, rank, ranks, self._context[-TAIL:])

    @property
    def device(self) -> Any:
        return self.memory.device

    def get_rank(self) -> int:
        return self.cur_rank

    def get_num_ranks(self) -> int:
        return self.num_ranks

    def get_heap_bases(self) -> list[int]:
        return list(self.heap_bases)

    def get_device_context(self) -> Any:
        """Rank, number of ranks, heap bases, and 17 words for tracing, which are zero until it is enabled. Always the
        same array."""
        return self._context

    def empty(self, *size: Any, dtype: Any = None) -> Any:
        """Allocates in the heap. Ranks that make the same arrays in the same order have them at the same offsets."""
        shape = tuple(size[0]) if len(size) == 1 and isinstance(size[0], Sequence) else tuple(int(extent) for extent in size)
        name = self.memory.dtype_name(dtype)
        begin = -(-self._used // _ALIGNMENT) * _ALIGNMENT
        end = begin + math.prod(shape) * self.memory.itemsize(name)
        if end > self.heap_size:
            raise MemoryError(f"the heap of rank {self.cur_rank} has {self.heap_size} bytes, and this array ends at {end}")
        self._used = end
        return self.memory.reshape(self.memory.view(self.heap[begin:end], name), shape)

    def full(self, size: Any, fill_value: Any, *, dtype: Any = None) -> Any:
        array = self.empty(*(size if isinstance(size, Sequence) else (size,)), dtype=dtype)
        self.memory.fill(array, fill_value)
        return array

    def zeros(self, *size: Any, dtype: Any = None) -> Any:
        array = self.empty(*size, dtype=dtype)
        self.memory.fill(array, 0)
        return array

    def ones(self, *size: Any, dtype: Any = None) -> Any:
        array = self.empty(*size, dtype=dtype)
        self.memory.fill(array, 1)
        return array

    def barrier(self) -> None:
        """Waits until launched work has ended, on all ranks (on this one, if several are in one process)."""
        self.memory.synchronize()
        if _is_distributed():
            import torch.distributed

            torch.distributed.barrier()

    def join(self, heap_bases: list[int]) -> Iris:
        """Sets the addresses of all ranks' heaps in this process."""
        self.heap_bases = heap_bases
        self.memory.write(self._context, [self.cur_rank, self.num_ranks, *heap_bases, *[0] * TAIL])
        return self


def iris(heap_size: int = 1 << 30) -> Iris:
    """The rank of this process: torch.distributed's if that is initialised, else the only one."""
    if not _is_distributed():
        return iris_in_process(1, heap_size)[0]
    import torch.distributed

    from . import peers

    group = torch.distributed
    rank = Iris(TorchMemory(), group.get_rank(), group.get_world_size(), heap_size)
    return rank.join(peers.exchange(rank.heap, rank.cur_rank, rank.num_ranks))


def iris_in_process(world_size: int, heap_size: int = 1 << 30) -> list[Iris]:
    """All ranks in this process: distributed over its GPUs, or with separate heaps on one; always so on the software
    GPU."""
    memories: list[SoftgpuMemory | TorchMemory]
    if _on_softgpu():
        memories = [SoftgpuMemory() for _ in range(world_size)]
    else:
        import torch

        memories = [TorchMemory(rank % torch.cuda.device_count()) for rank in range(world_size)]
    ranks = [Iris(memory, rank, world_size, heap_size) for rank, memory in enumerate(memories)]
    bases = [rank.heap.data_ptr() for rank in ranks]
    if not _on_softgpu():
        from . import peers

        peers.connect([rank.heap for rank in ranks])
    return [rank.join(bases) for rank in ranks]


def _on_softgpu() -> bool:
    import triton

    return type(triton.runtime.driver.active).__name__ == "SoftgpuDriver"


def _is_distributed() -> bool:
    import sys

    # A program that has not imported it has not initialised it.
    module = sys.modules.get("torch.distributed")
    return module is not None and module.is_available() and module.is_initialized()
