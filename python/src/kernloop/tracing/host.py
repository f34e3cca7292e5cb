"""Buffers of events on a rank's device, and reading them back."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path
from typing import Any

from ..errors import KernloopError
from .events import BUFFERS, OPEN, Clock, RankEvents
from .ids import LAST_ID
from .memory import SoftgpuMemory, TorchMemory
from .ranges import MOST_RANGES, take_host_ranges
from .refine import refined

_HEADER = 8
"""Words of 64 bits before the buffers: slots claimed; what is to be added to those beyond the buffers for the number of dropped events; Iris's
counter of operations, which nothing here counts with (an operation's number is its slot)."""
_UNFILLED = -1
"""The event id of a slot that was claimed, and not used."""
TAIL = 4 + len(BUFFERS)
_SAMPLES = 33
"""Of the device's clock: none takes longer than a launch, and each bounds it from one side or the other (clocks.py)."""


class Tracing:
    """Tracing of one rank: `enable`, launch kernels compiled with tracing, `export`."""

    def __init__(self, memory: SoftgpuMemory | TorchMemory, rank: int, ranks: int, words: Any) -> None:
        """`words`: words of the context after the heap bases."""
        self._memory = memory
        self._rank = rank
        self._ranks = ranks
        self._words = words
        self._host_ns: tuple[tuple[int, int], ...] = ()
        self._arena: Any = None
        self._cycles: list[Any] = []
        self.enabled = False
        self.max_events = 0
        self.trace_buffers: dict[str, Any] = {}
        self.trace_counter: Any = None
        self.op_index_counter: Any = None
        self.names: dict[int, str] = {}
        """Of users' events, 1024 and up."""

    def enable(self, max_events: int = 1_000_000) -> None:
        """Kernels compiled with tracing record events from the next launch on: the first `max_events`; the others are
        only counted."""
        if not 0 < max_events < 2**31:
            raise KernloopError("USAGE", f"max_events is {max_events}", "slots are numbered with 31 bits: 1 to 2147483647")
        if self._arena is None or self.max_events != max_events:
            self._place(max_events)
        self.reset()
        self._host_ns = self._anchors()
        self.enabled = True
        self._tell()

    def disable(self) -> None:
        """Kernels compiled with tracing record nothing from the next launch on. Recorded events stay until `reset` or
        `enable`."""
        self.enabled = False
        self._tell()

    def reset(self) -> None:
        """Discards recorded events."""
        self._check()
        self._memory.fill(self._arena[:_HEADER], 0)
        # Marks unwritten slots: an id that no event has, and an end before all starts.
        self._memory.fill(self.trace_buffers["event_id"], _UNFILLED)
        self._memory.fill(self.trace_buffers["duration_cycles"], OPEN)

    def events(self) -> RankEvents:
        """Events recorded so far: waits for earlier launches, and copies the buffers once."""
        self._check()
        memory = self._memory
        memory.synchronize()
        claimed, adjustment = (int(word) for word in memory.to_numpy(self._arena[:2]))
        used = min(claimed, self.max_events)
        copies = memory.bulk([each[:used] for each in (*self.trace_buffers.values(), *self._cycles)])
        columns = dict(zip((name for name, _ in BUFFERS), copies, strict=False))
        filled = columns["event_id"] != _UNFILLED
        if not filled.all():
            copies = [copy[filled] for copy in copies]
            columns = {name: column[filled] for name, column in columns.items()}
        if self._cycles:
            self._refine(columns, (copies[-2], copies[-1]))
        return RankEvents(
            rank=self._rank,
            world_size=self._ranks,
            device_name=memory.device_name,
            target=memory.target,
            clock=self.clock,
            columns=columns,
            kept=int(filled.sum()),
            dropped=max(0, claimed - self.max_events) + adjustment,
            event_names=self._names(),
            host_ns=self._host_ns + self._anchors(),
        )

    def export(self, filename: str = "trace.json", merge: bool = False) -> list[Path]:
        """Writes one file per rank, `trace_rank0.json`, and with `merge` one of all ranks, written by rank 0. A name
        without .json gives a protobuf file, of any size. `kernloop trace export` makes a timeline of them."""
        from . import export

        ranges, left_out = take_host_ranges()
        if left_out > 0:
            warnings.warn(f"{left_out} ranges of the host are not in {filename}: more than {MOST_RANGES} ended", stacklevel=2)
        return export.write(self.events(), filename, merge=merge, host_ranges=ranges)

    def sample_clock(self, count: int) -> list[tuple[int, int, int]]:
        """CLOCK_MONOTONIC (ns) before, the device's ticks, CLOCK_MONOTONIC after; the shortest sample comes first."""
        from . import clock

        return clock.sample(self._memory, count)

    @functools.cached_property
    def clock(self) -> Clock:
        from . import clock

        return clock.clock_of(self._memory)

    def _refine(self, columns: dict[str, Any], cycles: tuple[Any, Any]) -> None:
        from . import clock

        usual, step = clock.cycles_per_tick(self._memory), self.clock.resolution_ticks
        times = columns["timestamp"], columns["duration_cycles"]
        columns["timestamp"], columns["duration_cycles"] = refined(columns["cu_id"], *times, cycles, step, usual)

    def _anchors(self) -> tuple[tuple[int, int], ...]:
        if not self.clock.is_time:
            return ()
        return tuple((ticks, host) for before, ticks, after in self.sample_clock(_SAMPLES) for host in (before, after))

    def _place(self, max_events: int) -> None:
        """One allocation: header, 64-bit buffers, 32-bit buffers; on CUDA two more, for the SM's clock at begin and
        end."""
        wide = [name for name, kind in BUFFERS if kind == "int64"]
        narrow = [name for name, kind in BUFFERS if kind == "int32"]
        cycles = 2 if self._memory.backend == "cuda" else 0
        words = _HEADER + max_events * len(wide) + (max_events * (len(narrow) + cycles) + 1) // 2
        self._arena = self._memory.empty(words, "int64")
        self._memory.fill(self._arena, 0)
        halves = self._memory.view(self._arena, "int32")
        begin = 2 * (_HEADER + max_events * len(wide))
        places = {name: self._arena[_HEADER + max_events * index :][:max_events] for index, name in enumerate(wide)}
        small = [halves[begin + max_events * index :][:max_events] for index in range(len(narrow) + cycles)]
        places |= dict(zip(narrow, small, strict=False))
        self.trace_buffers = {name: places[name] for name, _ in BUFFERS}
        self._cycles = small[len(narrow) :]
        self.trace_counter, self.op_index_counter = self._arena[:1], self._arena[2:3]
        self.max_events = max_events

    def _tell(self) -> None:
        """Updates the context in place, so that an array handed out earlier stays current."""
        pointers = [self.trace_counter, self.op_index_counter, *self.trace_buffers.values()]
        words = [1, self.max_events, *(pointer.data_ptr() for pointer in pointers)] if self.enabled else [0] * TAIL
        self._memory.synchronize()
        self._memory.write(self._words, words)

    def _names(self) -> dict[int, str]:
        for number in self.names:
            if not 1024 <= number <= LAST_ID:
                raise KernloopError(
                    "USAGE", f"event {number} cannot be named: users' events are 1024 to {LAST_ID}", "give it such a number"
                )
        return dict(self.names)

    def _check(self) -> None:
        if self._arena is None:
            raise KernloopError("USAGE", "tracing was not enabled", "call tracing.enable(max_events) before the first launch")
