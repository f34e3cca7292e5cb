"""The file of events as JSON, for people and small programs: schemas/events.json. Times are whole nanoseconds since
`base`, which is text, like addresses: a double cannot hold 64 bits."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from .clocks import anchors, resolution_ns
from .events import OPEN

if TYPE_CHECKING:
    from .events import RankEvents
    from .ranges import Host, HostRange

SCHEMA: Final = "kernloop.events/1"


def write(
    out: BinaryIO, ranks: Sequence[RankEvents], columns: Sequence[Mapping[str, Any]], host: Host, ranges: Sequence[HostRange]
) -> None:
    own = (
        [
            {"rank": ranks[0].rank, "host": _host(host), **_range(each)}
            for each in sorted(ranges, key=lambda each: (each.start_ns, -each.end_ns))
        ]
        if ranks
        else []
    )
    _dump(out, [_rank(each, values, host) for each, values in zip(ranks, columns, strict=True)], own)


def merge(files: Sequence[Path], out: BinaryIO) -> None:
    documents = [json.loads(file.read_bytes()) for file in files]
    _dump(
        out,
        [rank for document in documents for rank in document["ranks"]],
        [each for document in documents for each in document["host_ranges"]],
    )


def _dump(out: BinaryIO, ranks: Sequence[Any], host_ranges: Sequence[Any]) -> None:
    document = {"schema": SCHEMA, "ranks": ranks, "host_ranges": host_ranges}
    out.write(json.dumps(document, separators=(",", ":")).encode())
    out.write(b"\n")


def _rank(events: RankEvents, columns: Mapping[str, Any], host: Host) -> dict[str, Any]:
    import numpy as np

    clock = events.clock
    base = int(columns["timestamp"][0]) if events.kept else 0
    ends = columns["duration_cycles"]
    # Null if it never ended.
    since = [None if end == OPEN else end - base for end in ends.tolist()]
    small = {name: values.tolist() for name, values in columns.items() if values.dtype == np.int32}
    return {
        "rank": events.rank,
        "world_size": events.world_size,
        "device_name": events.device_name,
        "target": events.target,
        "clock": {
            "is_time": clock.is_time,
            "ticks_per_second": clock.ticks_per_second,
            "resolution": resolution_ns(clock) if clock.is_time and clock.resolution_ticks else clock.resolution_ticks,
            "source": clock.source,
        },
        "kept": events.kept,
        "dropped": str(events.dropped),
        "event_names": {str(identity): name for identity, name in sorted(events.event_names.items())},
        "anchors": [
            {"device_ns": str(a.device_ns), "offset_ns": str(a.offset_ns), "error_ns": a.error_ns} for a in anchors(events.host_ns, clock)
        ],
        "host": _host(host),
        "base": str(base),
        "columns": {
            **small,
            "start": (columns["timestamp"] - base).tolist(),
            "end": since,
            "address": [f"0x{address:x}" for address in columns["address"].astype(np.uint64).tolist()],
        },
    }


def _host(host: Host) -> dict[str, Any]:
    return {"name": host.name, "boot": host.boot, "pid": host.pid, "command": host.command}


def _range(each: HostRange) -> dict[str, Any]:
    return {"name": each.name, "thread": each.thread, "start_ns": str(each.start_ns), "end_ns": str(each.end_ns)}
