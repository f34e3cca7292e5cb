"""Calls of a running kernel to the host, which `printf` on AMD GPUs uses. The device's side is __ockl_hostcall_internal
and __ockl_printf_* of ROCm's device libraries (ockl.bc), which define the layouts."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from ctypes import c_uint32, c_uint64, c_void_p

from ..errors import KernloopError
from . import abi
from .printf import format_message
from .runtime import Runtime

MOST_WAVES = 1 << 16  # one packet each, of 4 KiB

_PRINTF = 2
_READY = 1
_LANES, _WORDS = 64, 8
# Fields in the first word of a message's packet: flags, number of words, message id.
_BEGIN, _END = 1, 2
_LENGTH_SHIFT, _LENGTH_MASK, _ID_SHIFT = 5, 7, 8


class _Buffer(ctypes.Structure):
    _fields_ = [
        ("headers", c_uint64),
        ("payloads", c_uint64),
        ("doorbell", c_uint64),
        ("free_stack", c_uint64),
        ("ready_stack", c_uint64),
        ("index_mask", c_uint64),
    ]


class _Header(ctypes.Structure):
    _fields_ = [("next", c_uint64), ("active_lanes", c_uint64), ("service", c_uint32), ("control", c_uint32)]


_Payload = c_uint64 * _WORDS * _LANES


class Hostcalls:
    """Buffer of one dispatch. A waiting wave holds a packet; every wave has one, because all may wait at once."""

    def __init__(self, runtime: Runtime, waves: int, write: Callable[[str, bool], None]) -> None:
        """`write` receives a text and whether it is an error."""
        if waves > MOST_WAVES:
            raise KernloopError(
                "UNSUPPORTED_LAUNCH",
                f"the kernel prints (device_print, or device_assert with debug) and is launched with {waves} waves, more than {MOST_WAVES}",
                "launch fewer programs while it prints",
            )
        self._runtime = runtime
        self._write = write
        self._messages: dict[int, list[int]] = {}
        self._next_message = 1
        self._seen = 0
        self._doorbell = abi.Handle()
        packets = 1 << max(waves - 1, 1).bit_length()
        sizes = [ctypes.sizeof(_Buffer) + 16, packets * ctypes.sizeof(_Header), packets * ctypes.sizeof(_Payload)]
        memory = c_void_p()
        runtime.call("hsa_amd_memory_pool_allocate", runtime.kernarg_pool, sum(sizes), 0, ctypes.byref(memory))
        self.address = memory.value or 0
        ctypes.memset(self.address, 0, sizes[0] + sizes[1])
        runtime.call("hsa_signal_create", 0, 0, None, ctypes.byref(self._doorbell))
        headers = self.address + sizes[0]
        self._buffer = _Buffer.from_address(self.address)
        self._headers = (_Header * packets).from_address(headers)
        self._payloads = (_Payload * packets).from_address(headers + sizes[1])
        self._buffer.headers, self._buffer.payloads = headers, headers + sizes[1]
        self._buffer.doorbell, self._buffer.index_mask = self._doorbell.value, packets - 1
        # A stack entry is an index and, above it, a number that changes with each use; 0 is the end.
        for index in range(packets):
            self._headers[index].next = self._buffer.free_stack
            self._buffer.free_stack = packets | index

    def serve(self) -> None:
        """Answers all waiting calls. Waves maintain the stack themselves: entries below the last one seen are answered
        already, and no wave returns with the same number."""
        top = self._buffer.ready_stack
        waiting = []
        at = top
        while at not in (0, self._seen):
            index = at & self._buffer.index_mask
            waiting.append(index)
            at = self._headers[index].next
        self._seen = top
        for index in reversed(waiting):
            self._answer(index)

    def close(self) -> None:
        self._runtime.raw("hsa_signal_destroy")(self._doorbell)
        self._runtime.raw("hsa_amd_memory_pool_free")(self.address)

    def _answer(self, index: int) -> None:
        header = self._headers[index]
        if header.service != _PRINTF:
            raise KernloopError(
                "UNSUPPORTED_LAUNCH", f"the kernel asks the host for service {header.service}; only printing is provided", "do without it"
            )
        for lane in range(_LANES):
            if header.active_lanes >> lane & 1:
                words = self._payloads[index][lane]
                words[0] = self._append(words[0], words)
        header.control &= ~_READY & 0xFFFFFFFF  # last: the wave continues

    def _append(self, descriptor: int, words: ctypes.Array[c_uint64]) -> int:
        """Descriptor with which the lane continues."""
        message = descriptor >> _ID_SHIFT
        if descriptor & _BEGIN:
            message = self._next_message
            self._next_message += 1
            self._messages[message] = []
        if message not in self._messages:
            raise KernloopError(
                "DEVICE_FAULT", f"the kernel goes on with a message {message} that it never began", "please report it with the kernel"
            )
        length = descriptor >> _LENGTH_SHIFT & _LENGTH_MASK
        self._messages[message] += words[1 : 1 + length]
        if descriptor & _END:
            stream, *text = self._messages.pop(message)
            self._write(format_message(struct.pack(f"<{len(text)}Q", *text)), stream != 0)
        return descriptor & ~_BEGIN & ((1 << _ID_SHIFT) - 1) | message << _ID_SHIFT
