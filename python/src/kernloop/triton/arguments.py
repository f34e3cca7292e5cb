"""Bytes of a kernel's argument segment, from the values that Triton passes to its launcher and the layout in the code
object."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import KernloopError
from ..softgpu import Device, Kernel
from ..softgpu.memory import HostRange

_INTEGERS = {
    "i1": "b", "i8": "b", "i16": "h", "i32": "i", "i64": "q",
    "u1": "B", "u8": "B", "u16": "H", "u32": "I", "u64": "Q",
}  # fmt: skip


def _float32(value: float) -> bytes:
    return bytes(ctypes.c_float(value))  # too large values become infinite


def _bfloat16(value: float) -> bytes:
    return _float32(value)[2:]  # truncated, not rounded, as Triton's own launchers do


_SCALARS: dict[str, Callable[[Any], bytes]] = {
    "fp16": lambda value: struct.pack("<e", value),
    "bf16": _bfloat16,
    "fp32": _float32,
    "f32": _float32,
    "fp64": lambda value: struct.pack("<d", value),
}
_SCALARS |= {kind: struct.Struct("<" + format).pack for kind, format in _INTEGERS.items()}


def flatten(signature: Sequence[Any], values: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Types and values that reach the kernel, in order: tuples are flattened, constants left out, tensor descriptors
    become pointer, shape, strides and padding, then shape and strides again (triton/backends/amd/driver.py)."""
    for kind, value in zip(signature, values, strict=True):
        if isinstance(kind, tuple):
            yield from flatten(kind, tuple(value))
        elif kind.startswith("tensordesc"):
            element = kind.partition("<")[2].partition("[")[0]
            places = [*(("i32", extent) for extent in value.shape), *(("i64", stride) for stride in value.strides)]
            yield "*" + element, value.base
            yield from (("i64", number) for _, number in places)
            yield "i1", value.padding == "nan"
            yield from places
        elif kind != "constexpr":
            yield kind, value


@dataclass(frozen=True)
class Launch:
    """Facts for the hidden arguments."""

    blocks: tuple[int, int, int]
    threads: int
    shared: int
    hostcalls: int  # address of their buffer


class Packer:
    """Encodes arguments for launches of one kernel."""

    def __init__(self, device: Device, kernel: Kernel) -> None:
        self._device = device
        self._kernel = kernel
        self._visible = [a for a in kernel.facts.arguments if not a.kind.startswith("hidden_")]
        self._hidden = [a for a in kernel.facts.arguments if a.kind.startswith("hidden_")]
        self.prints = any(a.kind == "hidden_hostcall_buffer" for a in self._hidden)

    def pack(self, arguments: Iterable[tuple[str, Any]], scratch: Sequence[int], launch: Launch) -> tuple[bytes, list[HostRange]]:
        """`scratch`: addresses that Triton's compiler appends."""
        host: list[HostRange] = []
        contents = [self._bytes(index, kind, value, host) for index, (kind, value) in enumerate(arguments)]
        contents += [struct.pack("<Q", address) for address in scratch]
        self._check([len(content) for content in contents])
        segment = bytearray(self._kernel.facts.kernarg_bytes)
        for place, content in zip(self._visible, contents):
            segment[place.offset : place.offset + place.size] = content
        for place in self._hidden:
            value = self._hidden_value(place.kind, launch)
            segment[place.offset : place.offset + place.size] = value.to_bytes(place.size, "little")
        return bytes(segment), host

    def _check(self, sizes: list[int]) -> None:
        wanted = [place.size for place in self._visible]
        if sizes != wanted:
            raise KernloopError(
                "KERNEL_ARGUMENTS",
                f"{self._kernel.facts.name} takes arguments of {wanted} bytes, and Triton hands over {sizes}",
                "please report this with the kernel's signature and the version of Triton",
            )

    def _bytes(self, index: int, kind: str, value: Any, host: list[HostRange]) -> bytes:
        if kind.startswith("*"):
            return struct.pack("<Q", self._pointer(index, value, host))
        if kind not in _SCALARS:
            raise KernloopError(
                "KERNEL_ARGUMENTS",
                f"argument {index} of {self._kernel.facts.name} is of type {kind}, which is not known here",
                "pass it in memory",
            )
        try:
            return _SCALARS[kind](value)
        except (struct.error, OverflowError) as error:
            raise KernloopError(
                "KERNEL_ARGUMENTS", f"argument {index} of {self._kernel.facts.name}: {value!r} is no {kind} ({error})", "pass another value"
            ) from error

    def _pointer(self, index: int, value: Any, host: list[HostRange]) -> int:
        if value is None:
            return 0
        address = value if isinstance(value, int) else value.data_ptr()
        if address == 0 or self._device.size_behind(address) is not None:
            return int(address)
        ranges = host_ranges(value)
        if ranges is None:
            raise KernloopError(
                "KERNEL_ARGUMENTS",
                f"argument {index} of {self._kernel.facts.name} points to 0x{address:x}, which is not in the memory of the software GPU",
                "place it there with kernloop.triton.array(…); what NumPy computes from such an array is an ordinary one again",
            )
        host += ranges
        return int(address)

    def _hidden_value(self, kind: str, launch: Launch) -> int:
        """AMDGPUUsage, "Code Object V5 Metadata"; grids are whole blocks of one dimension."""
        name, _, axis = kind.rpartition("_")
        at = "xyz".find(axis)
        if name == "hidden_block_count" and at >= 0:
            return launch.blocks[at]
        if name == "hidden_group_size" and at >= 0:
            return launch.threads if at == 0 else 1
        if name in ("hidden_remainder", "hidden_global_offset") and at >= 0:
            return 0
        if kind == "hidden_grid_dims":
            return 3
        if kind == "hidden_dynamic_lds_size":
            return launch.shared
        if kind == "hidden_none":
            return 0
        if kind == "hidden_hostcall_buffer":
            return launch.hostcalls
        raise KernloopError(
            "UNSUPPORTED_LAUNCH",
            f"{self._kernel.facts.name} asks for {kind}, which this driver does not provide",
            "please report it with the kernel",
        )


def host_ranges(value: Any) -> list[HostRange] | None:
    """Memory of a CPU tensor of PyTorch: its whole storage, because views can access all of it."""
    value = getattr(value, "base", None) if type(value).__name__ == "TensorWrapper" else value
    storage = getattr(value, "untyped_storage", None)
    device = getattr(getattr(value, "device", None), "type", None)
    if storage is None or device != "cpu":
        return None
    memory = storage()
    return [HostRange(memory.data_ptr(), memory.nbytes())]
