"""Heaps of other processes and other GPUs, on CUDA: by interprocess handles of the driver, and by peer access."""

from __future__ import annotations

import ctypes
from typing import Any

from ..errors import KernloopError

_LAZY_PEER_ACCESS = 1
_HANDLE_BYTES = 64


class _Handle(ctypes.Structure):  # CUipcMemHandle
    _fields_ = (("reserved", ctypes.c_char * _HANDLE_BYTES),)


def _call(name: str, *arguments: Any) -> None:
    status = getattr(ctypes.CDLL("libcuda.so.1"), name)(*arguments)
    if status != 0:
        raise KernloopError(
            "UNSUPPORTED_TARGET",
            f"{name} answers {status}: the heaps of the ranks cannot be shared",
            "the GPUs must reach each other (nvidia-smi topo -p2p r), and PyTorch must allocate without expandable segments",
        )


def exchange(heap: Any, rank: int, ranks: int) -> list[int]:
    """Addresses of all ranks' heaps in this process. Handles name whole allocations, so the offset is sent along."""
    import torch

    if torch.version.hip:
        raise KernloopError(
            "UNSUPPORTED_TARGET",
            "heaps of several processes are shared on CUDA only",
            "run all ranks in one process: kernloop.tracing.iris_in_process(world_size, heap_size)",
        )
    base, size, handle = ctypes.c_uint64(), ctypes.c_size_t(), _Handle()
    _call("cuMemGetAddressRange_v2", ctypes.byref(base), ctypes.byref(size), ctypes.c_uint64(heap.data_ptr()))
    _call("cuIpcGetMemHandle", ctypes.byref(handle), base)
    mine = (bytes(handle), heap.data_ptr() - base.value)
    theirs: list[Any] = [None] * ranks
    torch.distributed.all_gather_object(theirs, mine)
    return [heap.data_ptr() if other == rank else _open(*theirs[other]) for other in range(ranks)]


def _open(handle: bytes, offset: int) -> int:
    base = ctypes.c_uint64()
    _call("cuIpcOpenMemHandle_v2", ctypes.byref(base), _Handle.from_buffer_copy(handle), ctypes.c_uint(_LAZY_PEER_ACCESS))
    return base.value + offset


def connect(heaps: list[Any]) -> None:
    """Heaps of one process on several GPUs: PyTorch enables peer access when it copies from one to the other."""
    import torch

    for here in heaps:
        for there in heaps:
            if here.device == there.device:
                continue
            if not torch.cuda.can_device_access_peer(here.device, there.device):
                raise KernloopError("UNSUPPORTED_TARGET", f"{here.device} cannot reach {there.device}", "use GPUs with peer access, or one")
            here[:1].copy_(there[:1])
            torch.cuda.synchronize(here.device)
