"""What Perfetto's trace processor makes of a file, by its published rules: the oracle of tests of timelines.

Its program cannot be had here (the package `perfetto` fetches it when it runs), but its definition of a trace can: files
are decoded with `perfetto.protos`, the package's own. The rules are those of docs/concepts/trace-processor and of the
importers (src/trace_processor/importers/proto/track_event_*, importers/json/*): packets are sorted by time, those of one
time stay as they were; an end closes the innermost slice of its track; a name stands for what was interned before on its
sequence; a flow goes from each slice with its id to the next one. Whatever the importers count as an error fails here.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent


@dataclass
class Slice:
    process: str
    track: str
    name: str
    start: int
    end: int
    depth: int
    category: str
    args: dict[str, Any]
    flows_out: list[int] = field(default_factory=list)
    flows_in: list[int] = field(default_factory=list)


@dataclass
class Imported:
    slices: list[Slice]
    instants: list[Slice]
    flows: dict[int, list[Slice]]


def load_perfetto(path: Path) -> Imported:
    trace = Trace.FromString(path.read_bytes())
    names: dict[int, str] = {}
    argument_names: dict[int, str] = {}
    tracks: dict[int, Any] = {}
    events = []
    for index, packet in enumerate(trace.packet):
        assert packet.trusted_packet_sequence_id != 0
        cleared, needed = packet.sequence_flags & 1, packet.sequence_flags & 2
        assert bool(cleared) == (index == 0), "state is cleared once, first"
        assert needed
        for each in packet.interned_data.event_names:
            assert each.iid not in names
            names[each.iid] = each.name
        for each in packet.interned_data.debug_annotation_names:
            assert each.iid not in argument_names
            argument_names[each.iid] = each.name
        if packet.HasField("track_descriptor"):
            descriptor = packet.track_descriptor
            assert descriptor.uuid not in tracks
            assert not descriptor.parent_uuid or descriptor.parent_uuid in tracks
            tracks[descriptor.uuid] = descriptor
        if packet.HasField("track_event"):
            event = packet.track_event
            assert event.track_uuid in tracks, "an event of an unknown track"
            assert not event.name_iid or event.name_iid in names, "a name that was not interned"
            assert all(each.name_iid in argument_names for each in event.debug_annotations)
            events.append((packet.timestamp, event))
    sorted_events = sorted(events, key=lambda each: each[0])
    pids = [each.process.pid for each in tracks.values() if each.HasField("process")]
    assert len(set(pids)) == len(pids), "two processes of one number"

    def path_of(uuid: int) -> list[str]:
        descriptor = tracks[uuid]
        return [*(path_of(descriptor.parent_uuid) if descriptor.parent_uuid else []), descriptor.name]

    stacks: dict[int, list[Slice]] = defaultdict(list)
    imported = Imported([], [], {})
    for timestamp, event in sorted_events:
        stack = stacks[event.track_uuid]
        if event.type == TrackEvent.TYPE_SLICE_END:
            assert stack, "misplaced_end_event"
            stack.pop().end = timestamp
            continue
        process, *below = path_of(event.track_uuid)
        args = {argument_names[each.name_iid]: _value(each) for each in event.debug_annotations}
        each = Slice(process, "/".join(below), names[event.name_iid], timestamp, timestamp, len(stack), "".join(event.categories), args)
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            stack.append(each)
            imported.slices.append(each)
        else:
            assert event.type == TrackEvent.TYPE_INSTANT
            imported.instants.append(each)
        for flow in event.flow_ids:
            assert flow not in imported.flows, "a flow that begins twice"
            imported.flows[flow] = [each]
        for flow in event.terminating_flow_ids:
            assert len(imported.flows.get(flow, [])) == 1, "flow_end_without_start"
            imported.flows[flow].append(each)
    assert not any(stacks.values()), "a slice without an end"
    assert all(len(ends) == 2 for ends in imported.flows.values())
    return imported


def _value(annotation: Any) -> Any:
    return getattr(annotation, annotation.WhichOneof("value"))


def load_chrome(path: Path) -> Imported:
    document = json.loads(path.read_text(), parse_float=Decimal)
    processes: dict[int, str] = {}
    threads: dict[tuple[int, int], str] = {}
    for each in document["traceEvents"]:
        assert type(each["pid"]) is int and type(each["tid"]) is int, "numbers, no text"
        if each["ph"] == "M" and each["name"] == "process_name":
            processes[each["pid"]] = each["args"]["name"]
        elif each["ph"] == "M" and each["name"] == "thread_name":
            threads[each["pid"], each["tid"]] = each["args"]["name"]
    assert len({tid for _, tid in threads}) == len(threads), "threads are told apart by their number alone"
    timed = [(_ns(each["ts"]), each) for each in document["traceEvents"] if each["ph"] != "M"]
    stacks: dict[tuple[int, int], list[Slice]] = defaultdict(list)
    imported = Imported([], [], {})
    for timestamp, event in sorted(timed, key=lambda each: each[0]):
        thread = event["pid"], event["tid"]
        stack = stacks[thread]
        if event["ph"] in "sf":
            assert stack and stack[-1].start == timestamp, "flow_invalid_id, or a flow of no slice"
            if event["ph"] == "s":
                assert event["id"] not in imported.flows
                imported.flows[event["id"]] = [stack[-1]]
            else:
                assert event["bp"] == "e"
                assert len(imported.flows.get(event["id"], [])) == 1, "flow_end_without_start"
                imported.flows[event["id"]].append(stack[-1])
            continue
        each = Slice(processes[thread[0]], threads[thread], event["name"], timestamp, timestamp, 0, event["cat"], event.get("args", {}))
        if event["ph"] == "i":
            imported.instants.append(each)
            continue
        assert event["ph"] == "X"
        each.end = timestamp + _ns(event["dur"])
        while stack and stack[-1].end <= timestamp:
            stack.pop()
        assert not stack or each.end <= stack[-1].end, "slice_spill_overlapping_complete_event"
        each.depth = len(stack)
        stack.append(each)
        imported.slices.append(each)
    assert all(len(ends) == 2 for ends in imported.flows.values())
    return imported


def _ns(microseconds: Any) -> int:
    """As its tokenizer: a double, times 1000, rounded; that is exact only below 2^53 ns."""
    exact = Decimal(microseconds) * 1000
    assert exact == int(exact)
    assert round(float(microseconds) * 1000) == int(exact), "a time that a double does not hold"
    return int(exact)
