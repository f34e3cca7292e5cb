"""Writes events of ranks: a protobuf file (docs/reference/device-events.proto), or JSON if the name ends in .json.

Events are sorted by their starts while all of them are in memory, so that readers need only one packet of each rank in
memory. Times are nanoseconds of the device's clock; the anchors relate it to the host's clock, with an error: no time
is shifted here.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ..errors import KernloopError
from . import _json, _wire
from .clocks import NS, anchors
from .events import BUFFERS, OPEN
from .ranges import Host, HostRange

if TYPE_CHECKING:
    from .events import Clock, RankEvents


def write(
    events: RankEvents,
    file: str | Path,
    *,
    merge: bool = False,
    barrier: Callable[[], None] | None = None,
    host_ranges: Sequence[HostRange] = (),
) -> list[Path]:
    """Writes one file per rank, `trace_rank0.kevents` for `trace.kevents`; with `merge` rank 0 also writes one of all
    ranks after `barrier` (default: torch.distributed's) reports that all files exist. Returns the files of this
    rank."""
    whole = Path(file)
    own = rank_file(whole, events.rank)
    write_ranks(own, [events], host_ranges)
    if not merge:
        return [own]
    (barrier or _distributed_barrier(events.world_size))()
    if events.rank != 0:
        return [own]
    merge_files([rank_file(whole, rank) for rank in range(events.world_size)], whole)
    return [own, whole]


def rank_file(file: Path, rank: int) -> Path:
    return file.with_name(f"{file.stem}_rank{rank}{file.suffix}")


def write_ranks(file: str | Path, ranks: Sequence[RankEvents], host_ranges: Sequence[HostRange] = ()) -> None:
    """Writes one file of several ranks atomically; the host's ranges go to the first of them."""
    path, host = Path(file), Host.this()
    seen = [each.rank for each in ranks]
    if len(set(seen)) != len(seen):
        raise KernloopError("EVENTS_INVALID", f"two of the ranks {seen} are the same", "give every rank its own number")
    with _replacing(path) as out:
        if path.suffix == ".json":
            _json.write(out, ranks, [file_columns(each) for each in ranks], host, host_ranges)
            return
        for index, each in enumerate(ranks):
            out.write(_wire.rank_packet(each, anchors(each.host_ns, each.clock), host))
            for ranges in _wire.range_packets(each.rank, host, host_ranges if index == 0 else ()):
                out.write(ranges)
            for packet in _wire.event_packets(each.rank, file_columns(each)):
                out.write(packet)


def merge_files(files: Sequence[Path], whole: Path) -> None:
    """Concatenated packets are one file; JSON is parsed and written anew."""
    missing = [str(file) for file in files if not file.exists()]
    if missing:
        raise KernloopError(
            "FILE_NOT_FOUND",
            f"{', '.join(missing)} cannot be seen from here",
            "ranks of another file system: bring the files together, and name all of them to `kernloop trace export`",
        )
    with _replacing(whole) as out:
        if whole.suffix == ".json":
            _json.merge(files, out)
            return
        for file in files:
            with file.open("rb") as part:
                shutil.copyfileobj(part, out, 1 << 20)


def file_columns(events: RankEvents) -> dict[str, Any]:
    """Columns for the file: checked, in the order of their starts (the longer event first), with the file's times."""
    import numpy as np

    columns = {name: np.asarray(events.columns[name]).astype(dtype, copy=False) for name, dtype in BUFFERS}
    sizes = {name: values.shape for name, values in columns.items()}
    if set(sizes.values()) != {(events.kept,)}:
        raise KernloopError(
            "EVENTS_INVALID", f"rank {events.rank} kept {events.kept} events, but has {sizes}", "cut every buffer to the events kept"
        )
    ends = columns["duration_cycles"]
    is_open = ends == OPEN
    order = np.lexsort((np.where(is_open, columns["timestamp"], -ends), columns["timestamp"]))
    columns = {name: values[order] for name, values in columns.items()}
    if events.clock.is_time:
        starts, ends = (_nanoseconds(columns[name], events.clock) for name in ("timestamp", "duration_cycles"))
        columns["timestamp"], columns["duration_cycles"] = starts, np.where(columns["duration_cycles"] == OPEN, OPEN, ends)
    return columns


def _nanoseconds(ticks: Any, clock: Clock) -> Any:
    """Needs no product above 64 bits; rounds down, as everywhere."""
    rate = clock.ticks_per_second
    if NS % rate == 0:
        return ticks * (NS // rate)
    seconds, rest = ticks // rate, ticks % rate
    return seconds * NS + rest * NS // rate


def _distributed_barrier(world_size: int) -> Callable[[], None]:
    if world_size == 1:
        return lambda: None
    # A program that has not imported it has not initialised it.
    dist: Any = sys.modules.get("torch.distributed")
    if dist is None or not dist.is_available() or not dist.is_initialized():
        raise KernloopError(
            "NOT_DISTRIBUTED",
            f"there are {world_size} ranks, and torch.distributed is not initialised",
            "export each rank with merge=False and name all files to `kernloop trace export`, or pass `barrier`",
        )
    return lambda: dist.barrier()


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """Writes a temporary file first, so that an existing file is complete."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as out:
            yield out
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
