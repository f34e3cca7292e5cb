"""A queue of the device that runs one dispatch at a time to its end."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable
from ctypes import POINTER, byref, c_uint16
from typing import Any

from ..errors import DeviceFault, KernloopError
from . import abi
from .runtime import Runtime

_SLOTS = 64
_WAIT_SECONDS = 0.25  # between two checks for Ctrl-C
_SERVE_SECONDS = 0.0002  # between two checks for printed text
_FAULTED = -1


class Queue:
    """A fault or an interruption closes the queue, and the device makes another one."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._status = abi.SUCCESS
        self._signal = 0
        self._callback = abi.QueueErrorCallback(self._on_error)  # kept alive with the queue
        self._queue = POINTER(abi.Queue)()
        limit = 2**32 - 1
        runtime.call("hsa_queue_create", runtime.agent, _SLOTS, abi.QUEUE_MULTI, self._callback, None, limit, limit, byref(self._queue))

    @property
    def closed(self) -> bool:
        return not self._queue

    def close(self) -> None:
        """Ends running work."""
        queue, self._queue = self._queue, POINTER(abi.Queue)()
        if queue:
            self._runtime.raw("hsa_queue_inactivate")(queue)
            self._runtime.raw("hsa_queue_destroy")(queue)

    def _on_error(self, status: int, _queue: int | None, _data: int | None) -> None:
        # Called on a thread of the runtime: the packet's signal is never completed, so the waiting thread has to be
        # woken.
        self._status = status
        self._runtime.raw("hsa_signal_store_screlease")(self._signal, _FAULTED)

    def run(self, packet: abi.DispatchPacket, name: str, serve: Callable[[], None] | None) -> abi.Report:
        """Returns the report of the dispatch; raises a fault with the device's facts. `serve` is called repeatedly
        while it runs."""
        runtime = self._runtime
        signal = abi.Handle()
        runtime.call("hsa_signal_create", 1, 0, None, byref(signal))
        try:
            self._signal = packet.completion_signal = signal.value
            self._submit(packet)
            completed = self._wait(signal.value, serve)
            report = runtime.report(signal.value) or runtime.report(0)
            if completed != 0:
                raise _fault(runtime, name, self._status, report)
            if report is None:
                raise KernloopError("DEVICE_FAULT", f"the device has no report of {name}", "please report this")
            return report
        except BaseException:  # Ctrl-C and errors of `serve`, too: nothing may keep running
            self.close()
            raise
        finally:
            runtime.raw("hsa_signal_destroy")(signal)

    def _submit(self, packet: abi.DispatchPacket) -> None:
        queue = self._queue
        index = self._runtime.raw("hsa_queue_add_write_index_relaxed")(queue, 1)
        size = ctypes.sizeof(abi.DispatchPacket)
        slot = queue.contents.base_address + index % queue.contents.size * size
        ctypes.memmove(slot + 4, ctypes.addressof(packet) + 4, size - 4)
        # The header is written last, because it hands the packet to the device. A store of 16 bits is atomic, and
        # x86-64 keeps stores in order.
        setup = c_uint16.from_address(slot + 2)
        setup.value = packet.setup
        header = c_uint16.from_address(slot)
        header.value = abi.DISPATCH_HEADER
        self._runtime.raw("hsa_signal_store_screlease")(queue.contents.doorbell_signal, index)

    def _wait(self, signal: int, serve: Callable[[], None] | None) -> int:
        """Waits for the final value of the signal, in steps: Python handles Ctrl-C only between calls."""
        step = _SERVE_SECONDS if serve else _WAIT_SECONDS
        timeout = int(step * self._runtime.ticks_per_second)
        wait = self._runtime.raw("hsa_signal_wait_scacquire")
        while True:
            value = int(wait(signal, abi.CONDITION_LT, 1, timeout, abi.WAIT_BLOCKED))
            if serve:
                serve()
            if value < 1:
                return value


def _fault(runtime: Runtime, name: str, status: int, report: abi.Report | None) -> DeviceFault:
    fault: dict[str, Any] = {}
    if report is not None and report.faulted:
        try:
            fault = json.loads(report.fault_json)
        except ValueError:
            fault = {"text": report.fault_json.decode(errors="replace")}
    text = fault.get("text") or f"{name}: {runtime.describe(status)}"
    kind = str(fault.get("kind", ""))
    code = "DEVICE_LIMIT" if kind == "instruction_limit" else "DEVICE_FAULT"
    return DeviceFault(code, str(text), _HINTS.get(kind, _HINT), fault)


_HINT = "look at the kernel; KERNLOOP_SOFTGPU_CHECK=all looks closer (docs/softgpu.md)"
_HINTS = {
    "unknown_instruction": "the software GPU does not know this instruction: please report it with the kernel",
    "unsupported_instruction": "the software GPU does not execute this instruction (docs/reference/softgpu-isa.md): please report it with the kernel",
    "instruction_limit": "the kernel hangs, or KERNLOOP_SOFTGPU_MAX_INSTRUCTIONS is too small for it",
    "trap": "a device_assert failed, or the compiler proved this place unreachable",
    "bad_dispatch": "the launch asks for what this device does not have",
}
