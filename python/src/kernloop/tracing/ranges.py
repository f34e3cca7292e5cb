"""Host activity for the timeline: ranges on CLOCK_MONOTONIC, and identity of the host."""

from __future__ import annotations

import os
import platform
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

MOST_RANGES: Final = 1_000_000


@dataclass(frozen=True)
class HostRange:
    name: str
    thread: int
    start_ns: int
    end_ns: int


@dataclass(frozen=True)
class Host:
    """CLOCK_MONOTONIC is one clock for all processes of one boot."""

    name: str
    boot: str
    pid: int
    command: str

    @classmethod
    def this(cls) -> Host:
        boot = Path("/proc/sys/kernel/random/boot_id")
        return cls(platform.node(), boot.read_text().strip() if boot.exists() else "", os.getpid(), " ".join(sys.argv)[:4096])


_ranges: list[HostRange] = []
_left_out = 0


@contextmanager
def host_range(name: str) -> Iterator[None]:
    """A host range on the timeline: ``with host_range("step"): …``. Ranges of a thread nest like blocks."""
    start = time.monotonic_ns()
    try:
        yield
    finally:
        _keep(HostRange(name, threading.get_native_id(), start, time.monotonic_ns()))


def _keep(each: HostRange) -> None:
    global _left_out
    if len(_ranges) < MOST_RANGES:
        _ranges.append(each)
    else:
        _left_out += 1


def take_host_ranges() -> tuple[list[HostRange], int]:
    """Ranges that ended since the last call, and the number of ranges left out."""
    global _left_out
    taken, left_out = list(_ranges), _left_out
    del _ranges[: len(taken)]
    _left_out = 0
    return taken, left_out
