"""The device's clock, read by the host: a kernel of one program between two readings of CLOCK_MONOTONIC."""

from __future__ import annotations

import time
from typing import Any

from .device import read_clock
from .events import Clock
from .memory import SoftgpuMemory, TorchMemory

_STEPS = 4096


def sample(memory: SoftgpuMemory | TorchMemory, count: int) -> list[tuple[int, int, int]]:
    """Samples of CLOCK_MONOTONIC before (ns), the device's ticks, and CLOCK_MONOTONIC after, for `count` readings; the
    shortest come first."""
    out = memory.empty(2, "int64")
    samples = []
    for _ in range(count + 1):  # the first one loads the kernel
        memory.synchronize()
        before = time.monotonic_ns()
        with memory.current():
            read_clock[(1,)](out, 1, num_warps=1)
        memory.synchronize()
        after = time.monotonic_ns()
        samples.append((before, int(memory.to_numpy(out)[0]), after))
    return sorted(samples[1:], key=lambda each: each[2] - each[0])


def _series(memory: SoftgpuMemory | TorchMemory) -> Any:
    """Consecutive readings of the device's clock and of the lower 32 bits of a compute unit's."""
    out = memory.empty(2 * _STEPS, "int64")
    with memory.current():
        read_clock[(1,)](out, _STEPS, num_warps=1)
    return memory.to_numpy(out).reshape(_STEPS, 2).T


def resolution(memory: SoftgpuMemory | TorchMemory) -> int:
    """Smallest step observed."""
    ticks, _ = _series(memory)
    steps = ticks[1:] - ticks[:-1]
    steps = steps[steps > 0]
    return int(steps.min()) if steps.size else 0


def cycles_per_tick(memory: SoftgpuMemory | TorchMemory) -> float:
    """Current cycles per tick of an SM."""
    ticks, cycles = _series(memory)
    return float((int(cycles[-1]) - int(cycles[0])) % (1 << 32) / (int(ticks[-1]) - int(ticks[0])))


def clock_of(memory: SoftgpuMemory | TorchMemory) -> Clock:
    if memory.backend == "softgpu":
        return Clock(ticks_per_second=0, is_time=False, resolution_ticks=1, source="softgpu")
    if memory.backend == "cuda":
        return Clock(ticks_per_second=1_000_000_000, is_time=True, resolution_ticks=resolution(memory), source="globaltimer+clock64")
    return Clock(ticks_per_second=_rate(memory), is_time=True, resolution_ticks=1, source="s_memrealtime")


def _rate(memory: SoftgpuMemory | TorchMemory) -> int:
    """Rate of a clock that the device does not report: counted over a twentieth of a second, and replaced by the exact
    rate of a known oscillator within a thousandth of it."""
    first = sample(memory, 5)[0]
    time.sleep(0.05)
    last = sample(memory, 5)[0]
    counted = (last[1] - first[1]) * 2e9 / (last[0] + last[2] - first[0] - first[2])
    known = [rate for rate in (25_000_000, 27_000_000, 48_000_000, 100_000_000) if abs(counted - rate) < rate / 1000]
    return known[0] if known else round(counted)
