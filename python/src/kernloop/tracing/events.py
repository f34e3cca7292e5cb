"""Events of one rank, passed from the device side to the side that writes files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from numpy.typing import NDArray

OPEN: Final = -1
"""The end (`duration_cycles`) of an event that never ended; one of no length ends where it starts."""

BUFFERS: Final[tuple[tuple[str, str], ...]] = (
    ("event_id", "int32"),
    ("pid", "int32"),
    ("pid_m", "int32"),
    ("pid_n", "int32"),
    ("cur_rank", "int32"),
    ("target_rank", "int32"),
    ("xcc_id", "int32"),
    ("cu_id", "int32"),
    ("timestamp", "int64"),
    ("address", "int64"),
    ("duration_cycles", "int64"),
    ("op_index", "int32"),
    ("payload_size", "int32"),
)
"""The buffers of the device in the order of the context tensor, with their types: Iris's names. `timestamp` is the
start, `duration_cycles` the end, both in ticks of the device's clock."""


@dataclass(frozen=True)
class Clock:
    """Converts device timestamps to nanoseconds."""

    ticks_per_second: int
    """1,000,000,000 of %globaltimer; s_memrealtime's own rate on AMD (100,000,000 on gfx90a)."""
    is_time: bool
    """False on the software GPU: its ticks are executed steps, and never shown as nanoseconds."""
    resolution_ticks: int
    """The smallest step seen when it was sampled (32 ns .. 1 us of %globaltimer); 0 is unknown."""
    source: str
    """"globaltimer+clock64", "globaltimer", "s_memrealtime", "softgpu"."""


@dataclass(frozen=True)
class RankEvents:
    """Recording of one rank, after one bulk copy."""

    rank: int
    world_size: int
    device_name: str
    target: str
    """"cuda-sm_90", "amd-gfx90a", …"""
    clock: Clock
    columns: dict[str, NDArray[Any]]
    """The 13 buffers (`BUFFERS`), cut to the kept events."""
    kept: int
    dropped: int
    """Exact, also beyond 2^31 claims."""
    event_names: dict[int, str]
    """Users' ids, 1024 and up, named by the host."""
    host_ns: tuple[tuple[int, int], ...]
    """Pairs of device ticks and CLOCK_MONOTONIC ns, taken at enable and export: for one timeline with the host."""
