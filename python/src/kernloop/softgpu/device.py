"""The device of this process: its memory, its kernels, its dispatches."""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
import weakref
from collections.abc import Callable, Sequence
from ctypes import byref, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass

from ..errors import KernloopError
from . import abi
from .codeobject import KernelFacts, kernel_facts
from .hostcall import Hostcalls
from .memory import HostRange, pages_of
from .queue import Queue
from .runtime import Runtime

_KERNARG_BYTES = 4096
_MAX_GRID = 2**32 - 1  # work-items per dimension


@dataclass(frozen=True)
class Kernel:
    facts: KernelFacts
    object: int
    kernarg_bytes: int
    group_bytes: int
    private_bytes: int
    code_object: bytes  # the runtime reads the metadata in place


class Device:
    """Thread-safe: dispatches of several threads run one after the other, like in one stream."""

    def __init__(self, runtime: Runtime | None = None) -> None:
        self._runtime = runtime or Runtime()
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._queue: Queue | None = None
        self._kernarg = (0, 0)
        self._closed = False
        self._allocations: dict[int, int] = {}
        self._locks: dict[int, int] = {}

    @property
    def target(self) -> str:
        return self._runtime.target

    @property
    def wave_size(self) -> int:
        return self._runtime.wave_size

    @property
    def compute_units(self) -> int:
        return self._runtime.agent_info(abi.AGENT_COMPUTE_UNITS)

    @property
    def waves_per_unit(self) -> int:
        return self._runtime.agent_info(abi.AGENT_WAVES_PER_UNIT)

    # Memory

    def allocate(self, size: int) -> ctypes.Array[ctypes.c_char]:
        """Allocates device memory, which is host memory, too. It is freed with the last reference to the buffer."""
        self._check_process()
        address = c_void_p()
        status = self._runtime.raw("hsa_amd_memory_pool_allocate")(self._runtime.device_pool, max(size, 1), 0, byref(address))
        if status != abi.SUCCESS or not address.value:
            held = sum(self._allocations.values())
            raise MemoryError(
                f"the software GPU has no {size} bytes of memory left ({self._runtime.describe(status)}); {held} are held by arrays of this program"
            )
        buffer = (ctypes.c_char * size).from_address(address.value)
        self._allocations[address.value] = size
        weakref.finalize(buffer, self._free, address.value).atexit = False
        return buffer

    @property
    def allocated_bytes(self) -> int:
        return sum(self._allocations.values())

    def size_behind(self, address: int) -> int | None:
        """Number of bytes of an allocation from this address on."""
        # Copied, because other threads allocate. Few allocations exist at a time.
        for base, size in list(self._allocations.items()):
            if base <= address < base + max(size, 1):
                return base + size - address
        return None

    def _free(self, address: int) -> None:
        if self._closed or os.getpid() != self._process:
            return
        self._allocations.pop(address, None)
        self._runtime.raw("hsa_amd_memory_pool_free")(address)

    # Code

    def load(self, code_object: bytes, name: str) -> Kernel:
        """The code stays loaded while the process runs: Triton keeps its compiled kernels."""
        self._check_process()
        facts = kernel_facts(code_object, name)
        runtime, reader, executable, symbol = self._runtime, abi.Handle(), abi.Handle(), abi.Handle()
        runtime.call("hsa_code_object_reader_create_from_memory", code_object, len(code_object), byref(reader))
        runtime.call("hsa_executable_create_alt", abi.PROFILE_FULL, abi.ROUNDING_DEFAULT, None, byref(executable))
        agent = abi.Handle(runtime.agent)
        try:
            runtime.call("hsa_executable_load_agent_code_object", executable, agent, reader, None, None)
            runtime.call("hsa_executable_freeze", executable, None)
            runtime.call("hsa_executable_get_symbol_by_name", executable, f"{name}.kd".encode(), byref(agent), byref(symbol))
        except KernloopError:
            runtime.raw("hsa_executable_destroy")(executable)
            raise
        finally:
            runtime.raw("hsa_code_object_reader_destroy")(reader)

        def info(attribute: int) -> int:
            value = c_uint64() if attribute == abi.SYMBOL_KERNEL_OBJECT else c_uint32()
            runtime.call("hsa_executable_symbol_get_info", symbol, attribute, byref(value))
            return value.value

        return Kernel(
            facts,
            info(abi.SYMBOL_KERNEL_OBJECT),
            info(abi.SYMBOL_KERNARG_BYTES),
            info(abi.SYMBOL_GROUP_BYTES),
            info(abi.SYMBOL_PRIVATE_BYTES),
            code_object,
        )

    # Dispatches

    def launch(
        self,
        kernel: Kernel,
        blocks: tuple[int, int, int],
        threads: int,
        group_bytes: int,
        arguments: bytes,
        host: Sequence[HostRange] = (),
        serve: Callable[[], None] | None = None,
    ) -> int:
        """Runs the kernel to its end; returns the number of executed wave-instructions. `host`: memory of the process
        that the kernel may access meanwhile; `serve`: answers its host calls."""
        if blocks[0] * threads > _MAX_GRID or max(blocks[1:]) > _MAX_GRID:
            raise KernloopError("USAGE", f"a grid of {blocks} programs is too large", f"a dimension has at most {_MAX_GRID} work-items")
        with self._lock:
            self._check_process()
            locked: list[int] = []
            try:
                self._lock_pages(host, locked)
                packet = abi.DispatchPacket(
                    setup=3,
                    workgroup_size_x=threads,
                    workgroup_size_y=1,
                    workgroup_size_z=1,
                    grid_size_x=blocks[0] * threads,
                    grid_size_y=blocks[1],
                    grid_size_z=blocks[2],
                    private_segment_size=kernel.private_bytes,
                    group_segment_size=max(group_bytes, kernel.group_bytes),
                    kernel_object=kernel.object,
                    kernarg_address=self._place(arguments, kernel.kernarg_bytes),
                )
                if self._queue is None or self._queue.closed:
                    self._queue = Queue(self._runtime)
                return int(self._queue.run(packet, kernel.facts.name, serve).wave_instructions)
            finally:
                for address in locked:
                    self._runtime.raw("hsa_amd_memory_unlock")(address)

    def hostcalls(self, waves: int, write: Callable[[str, bool], None]) -> Hostcalls:
        """Buffer for a kernel that prints; the caller closes it."""
        self._check_process()
        return Hostcalls(self._runtime, waves, write)

    def _lock_pages(self, host: Sequence[HostRange], locked: list[int]) -> None:
        """`locked` receives the locked ranges, also if locking one of them fails."""
        for address, size in pages_of(host):
            agent, seen = abi.Handle(self._runtime.agent), c_void_p()
            self._runtime.call("hsa_amd_memory_lock", address, size, byref(agent), 1, byref(seen))
            locked.append(address)

    def _place(self, arguments: bytes, size: int) -> int:
        """One segment serves all dispatches: each has ended before the next begins."""
        address, capacity = self._kernarg
        needed = max(size, len(arguments), _KERNARG_BYTES)
        if capacity < needed:
            memory = c_void_p()
            self._runtime.call("hsa_amd_memory_pool_allocate", self._runtime.kernarg_pool, needed, 0, byref(memory))
            if address:
                self._runtime.raw("hsa_amd_memory_pool_free")(address)
            address, capacity = self._kernarg = (memory.value or 0, needed)
        ctypes.memset(address, 0, capacity)
        ctypes.memmove(address, arguments, len(arguments))
        return address

    def _check_process(self) -> None:
        if self._closed:
            raise KernloopError("DEVICE_UNAVAILABLE", "the device is closed: the program is ending", "launch before it ends")
        if os.getpid() != self._process:
            raise KernloopError(
                "FORKED_AFTER_INIT",
                f"process {os.getpid()} was forked from {self._process}, which had opened the software GPU",
                "start worker processes with multiprocessing's 'spawn' method, or before the first array is placed",
            )

    def close(self) -> None:
        """Runs at exit. A launch of another thread gets a moment to finish, then it is ended."""
        if self._closed or os.getpid() != self._process:
            return
        held = self._lock.acquire(timeout=1)
        self._closed = True
        if self._queue is not None:
            self._queue.close()
        if held:
            self._lock.release()
            self._runtime.raw("hsa_shut_down")()


_device: Device | None = None
_opening = threading.Lock()


def open_device() -> Device:
    """The only device of the process."""
    global _device
    with _opening:
        if _device is None:
            _device = Device()
            atexit.register(_device.close)
        return _device
