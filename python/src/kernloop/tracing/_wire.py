"""Encodes the file of events, docs/reference/device-events.proto."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from .clocks import Anchor, resolution_ns
from .events import BUFFERS

if TYPE_CHECKING:
    from .events import RankEvents
    from .ranges import Host, HostRange

VERSION: Final = 1
EVENTS_OF_PACKET: Final = 1 << 16
FIRST_COLUMN: Final = 3

_VARINT, _FIXED64, _BYTES = 0, 1, 2


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field: int, value: int) -> bytes:
    return varint(field << 3 | _VARINT) + varint(value) if value else b""


def signed(field: int, value: int) -> bytes:
    """A field of type sint32."""
    return number(field, value << 1 if value >= 0 else -value * 2 - 1)


def fixed(field: int, value: int) -> bytes:
    """A field of type sfixed64."""
    return varint(field << 3 | _FIXED64) + value.to_bytes(8, "little", signed=True)


def block(field: int, content: bytes) -> bytes:
    return varint(field << 3 | _BYTES) + varint(len(content)) + content


def text(field: int, value: str) -> bytes:
    return block(field, value.encode("utf-8", "replace")) if value else b""


def packet(field: int, content: bytes) -> bytes:
    return block(1, block(field, content))


def rank_packet(events: RankEvents, anchors: Sequence[Anchor], host: Host) -> bytes:
    clock = events.clock
    resolution = resolution_ns(clock) if clock.is_time and clock.resolution_ticks else clock.resolution_ticks
    parts = [
        number(1, VERSION),
        number(2, events.rank),
        number(3, events.world_size),
        text(4, events.device_name),
        text(5, events.target),
        block(6, number(1, clock.is_time) + number(2, clock.ticks_per_second) + number(3, resolution) + text(4, clock.source)),
        number(7, events.kept),
        number(8, events.dropped),
        *(block(9, signed(1, identity) + text(2, name)) for identity, name in sorted(events.event_names.items())),
        *(block(10, fixed(1, a.device_ns) + fixed(2, a.offset_ns) + number(3, a.error_ns)) for a in anchors),
        block(11, host_message(host)),
    ]
    return packet(1, b"".join(parts))


def host_message(host: Host) -> bytes:
    return text(1, host.name) + text(2, host.boot) + number(3, host.pid) + text(4, host.command)


def event_packets(rank: int, columns: Mapping[str, Any]) -> Iterator[bytes]:
    """The columns are sorted and have the file's times already."""
    count = len(columns["timestamp"])
    for first in range(0, count, EVENTS_OF_PACKET):
        end = min(first + EVENTS_OF_PACKET, count)
        parts = [number(1, rank), number(2, end - first)]
        for field, (name, dtype) in enumerate(BUFFERS, FIRST_COLUMN):
            values = columns[name][first:end]
            parts.append(block(field, values.astype("<i4" if dtype == "int32" else "<i8", copy=False).tobytes()))
        yield packet(2, b"".join(parts))


def range_packets(rank: int, host: Host, ranges: Iterable[HostRange]) -> Iterator[bytes]:
    head = number(1, rank) + block(2, host_message(host))
    listed = sorted(ranges, key=lambda each: (each.start_ns, -each.end_ns))
    for first in range(0, len(listed), EVENTS_OF_PACKET):
        parts = [
            block(3, text(1, each.name) + number(2, each.thread) + fixed(3, each.start_ns) + fixed(4, each.end_ns))
            for each in listed[first : first + EVENTS_OF_PACKET]
        ]
        yield packet(3, head + b"".join(parts))
