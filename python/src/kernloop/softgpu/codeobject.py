"""Kernels of a code object and the layout of their arguments, from its metadata note (AMDGPUUsage, "Code Object V3 and
later Metadata"): msgpack in an ELF note. The code object comes from the compiler, so unknown content is an error,
never a guess."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

from ..errors import KernloopError

_NOTE_SECTION = 7
_AMDGPU_METADATA = 32


@dataclass(frozen=True)
class Argument:
    kind: str  # by_value, global_buffer, hidden_…
    offset: int
    size: int


@dataclass(frozen=True)
class KernelFacts:
    name: str
    arguments: tuple[Argument, ...]
    kernarg_bytes: int
    registers: int
    spilled_registers: int
    max_threads: int


def kernel_facts(code_object: bytes, name: str) -> KernelFacts:
    try:
        kernels = {kernel[".name"]: kernel for kernel in _metadata(code_object)["amdhsa.kernels"]}
        kernel = kernels[name]
        return KernelFacts(
            name=name,
            arguments=tuple(Argument(a[".value_kind"], a[".offset"], a[".size"]) for a in kernel.get(".args", [])),
            kernarg_bytes=kernel[".kernarg_segment_size"],
            registers=kernel[".vgpr_count"],
            spilled_registers=kernel.get(".vgpr_spill_count", 0),
            max_threads=kernel[".max_flat_workgroup_size"],
        )
    except (KeyError, IndexError, struct.error, UnicodeDecodeError, TypeError, ValueError) as error:
        raise KernloopError(
            "CODE_OBJECT_UNREADABLE",
            f"the code object does not say how the arguments of {name} lie: {type(error).__name__} {error}",
            "this is not what Triton's AMD compiler writes; if it did, please report it with the version of Triton",
        ) from error


def _metadata(elf: bytes) -> Any:
    if elf[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not an ELF file of 64 bits")
    (sections,) = struct.unpack_from("<Q", elf, 40)
    size, count = struct.unpack_from("<HH", elf, 58)
    for index in range(count):
        at = sections + index * size
        (kind,) = struct.unpack_from("<I", elf, at + 4)
        offset, length = struct.unpack_from("<QQ", elf, at + 24)
        if kind == _NOTE_SECTION:
            return _note(elf[offset : offset + length])
    raise ValueError("it has no notes")


def _note(notes: bytes) -> Any:
    at = 0
    while at < len(notes):
        name_size, size, kind = struct.unpack_from("<III", notes, at)
        content = at + 12 + (name_size + 3) // 4 * 4
        if kind == _AMDGPU_METADATA and notes[at + 12 : at + 12 + name_size].rstrip(b"\0") == b"AMDGPU":
            return _Unpacker(notes[content : content + size]).value()
        at = content + (size + 3) // 4 * 4
    raise ValueError("it has no metadata note")


class _Unpacker:
    """Decodes the part of msgpack that LLVM writes: no extensions, no binary."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def _take(self, format: str) -> Any:
        (value,) = struct.unpack_from(">" + format, self._data, self._at)
        self._at += struct.calcsize(format)
        return value

    def _text(self, size: int) -> str:
        text = self._data[self._at : self._at + size]
        self._at += size
        return text.decode()

    def _list(self, size: int) -> list[Any]:
        return [self.value() for _ in range(size)]

    def _map(self, size: int) -> dict[Any, Any]:
        return {self.value(): self.value() for _ in range(size)}

    def value(self) -> Any:
        tag = self._take("B")
        if tag < 0x80:
            return tag
        if tag < 0x90:
            return self._map(tag & 0x0F)
        if tag < 0xA0:
            return self._list(tag & 0x0F)
        if tag < 0xC0:
            return self._text(tag & 0x1F)
        if tag >= 0xE0:
            return tag - 0x100
        plain = {0xC0: None, 0xC2: False, 0xC3: True}
        if tag in plain:
            return plain[tag]
        numbers = {0xCA: "f", 0xCB: "d", 0xCC: "B", 0xCD: "H", 0xCE: "I", 0xCF: "Q", 0xD0: "b", 0xD1: "h", 0xD2: "i", 0xD3: "q"}
        if tag in numbers:
            return self._take(numbers[tag])
        sized = {
            0xD9: ("B", self._text),
            0xDA: ("H", self._text),
            0xDB: ("I", self._text),
            0xDC: ("H", self._list),
            0xDD: ("I", self._list),
            0xDE: ("H", self._map),
            0xDF: ("I", self._map),
        }
        if tag not in sized:
            raise ValueError(f"msgpack tag 0x{tag:02x}")
        size, read = sized[tag]
        return read(self._take(size))
