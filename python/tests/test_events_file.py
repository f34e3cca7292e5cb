"""Files of events: read back with protoc's own reader of docs/reference/device-events.proto, and NumPy."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import descriptor_pool, message_factory

from kernloop import KernloopError
from kernloop.tracing import OPEN, Clock, RankEvents
from kernloop.tracing.clocks import Anchor, anchors, to_ns
from kernloop.tracing.events import BUFFERS
from kernloop.tracing.export import rank_file, write, write_ranks
from kernloop.tracing.ranges import HostRange, host_range, take_host_ranges

NS_CLOCK = Clock(1_000_000_000, True, 32, "globaltimer")
PROTO = Path(__file__).resolve().parents[2] / "docs" / "reference" / "device-events.proto"


@pytest.fixture(scope="module")
def device_events(tmp_path_factory: Any) -> Any:
    """The message, as protoc makes it of the published file."""
    from google.protobuf import descriptor_pb2
    from grpc_tools import protoc

    out = tmp_path_factory.mktemp("proto") / "events.binpb"
    assert protoc.main(["protoc", f"-I{PROTO.parent}", f"--descriptor_set_out={out}", PROTO.name]) == 0
    pool = descriptor_pool.DescriptorPool()
    for each in descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes()).file:
        pool.Add(each)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("kernloop.events.v1.DeviceEvents"))


def events_of(count: int, *, rank: int = 0, world_size: int = 1, clock: Clock = NS_CLOCK, seed: int = 1, **more: Any) -> RankEvents:
    """Random in every bit that a column has, in no order."""
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {
        name: rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, count, dtype=dtype, endpoint=True) for name, dtype in BUFFERS
    }
    columns["timestamp"] = rng.integers(1 << 60, (1 << 60) + (1 << 30), count, dtype=np.int64)
    columns["duration_cycles"] = np.where(rng.random(count) < 0.1, OPEN, columns["timestamp"] + rng.integers(0, 1 << 20, count))
    fields: dict[str, Any] = {"dropped": 0, "event_names": {}, "host_ns": ()} | more
    return RankEvents(rank, world_size, "H200", "cuda-sm_90", clock, columns, count, **fields)


def in_order(events: RankEvents) -> dict[str, Any]:
    """By Python's own sort: start, then the longer one first, then as they were."""
    columns = events.columns
    rows = sorted(
        range(events.kept),
        key=lambda i: (
            int(columns["timestamp"][i]),
            0 if columns["duration_cycles"][i] == OPEN else int(columns["timestamp"][i] - columns["duration_cycles"][i]),
        ),
    )
    return {name: [int(values[i]) for i in rows] for name, values in columns.items()}


PROTO_NAMES = {"timestamp": "start", "duration_cycles": "end"}


def read_columns(packets: Any, rank: int) -> dict[str, list[int]]:
    columns: dict[str, list[int]] = {name: [] for name, _ in BUFFERS}
    for packet in packets:
        if packet.WhichOneof("content") == "events" and packet.events.rank == rank:
            assert packet.events.count <= 65536
            for name, _ in BUFFERS:
                values = list(getattr(packet.events, PROTO_NAMES.get(name, name)))
                assert len(values) == packet.events.count
                columns[name] += values
    columns["address"] = [value - (1 << 64) if value >> 63 else value for value in columns["address"]]
    return columns


def test_every_field_comes_back_through_protoc(tmp_path: Path, device_events: Any) -> None:
    events = events_of(
        70_000, rank=1, world_size=2, dropped=(1 << 33) + 1, event_names={1024: "softmax", 4000: "é"}, host_ns=((5, 100), (5, 140))
    )
    [path] = write(events, tmp_path / "t.kevents", host_ranges=[HostRange("step", 7, 10, 20)])
    assert path.name == "t_rank1.kevents"
    message = device_events.FromString(path.read_bytes())
    kinds = [packet.WhichOneof("content") for packet in message.packet]
    assert kinds == ["rank", "host_ranges", "events", "events"]
    rank = message.packet[0].rank
    assert (rank.version, rank.rank, rank.world_size, rank.kept, rank.dropped) == (1, 1, 2, 70_000, (1 << 33) + 1)
    assert (rank.device_name, rank.target, rank.clock.source, rank.clock.resolution) == ("H200", "cuda-sm_90", "globaltimer", 32)
    assert {each.id: each.name for each in rank.event_names} == events.event_names
    assert [(a.device_ns, a.offset_ns, a.error_ns) for a in rank.anchors] == [(5, (100 - 5 - 32 + 140 - 5) // 2, 36)]
    assert rank.host.boot and rank.host.pid
    ranges = message.packet[1].host_ranges
    assert [(r.name, r.thread, r.start_ns, r.end_ns) for r in ranges.ranges] == [("step", 7, 10, 20)]
    assert ranges.host == rank.host
    assert read_columns(message.packet, 1) == in_order(events)


@pytest.mark.parametrize("rate", [100_000_000, 1_000_000_000, 27_000_000, 1_234_567_891])
def test_ticks_become_nanoseconds_without_overflow(tmp_path: Path, device_events: Any, rate: int) -> None:
    events = events_of(1000, clock=Clock(rate, True, 1, "s_memrealtime"))
    events.columns["timestamp"] >>= 8
    events.columns["duration_cycles"][events.columns["duration_cycles"] != OPEN] >>= 8
    write_ranks(tmp_path / "t.kevents", [events])
    read = read_columns(device_events.FromString((tmp_path / "t.kevents").read_bytes()).packet, 0)
    ordered = in_order(events)
    assert read["timestamp"] == [ticks * 10**9 // rate for ticks in ordered["timestamp"]]
    assert read["duration_cycles"] == [OPEN if ticks == OPEN else ticks * 10**9 // rate for ticks in ordered["duration_cycles"]]


def test_steps_of_the_software_gpu_stay_steps(tmp_path: Path, device_events: Any) -> None:
    events = events_of(10, clock=Clock(1, False, 0, "softgpu"), host_ns=((5, 100), (5, 140)))
    write_ranks(tmp_path / "t.kevents", [events])
    message = device_events.FromString((tmp_path / "t.kevents").read_bytes())
    assert not message.packet[0].rank.clock.is_time
    assert not message.packet[0].rank.anchors
    assert read_columns(message.packet, 0) == in_order(events)


def test_files_of_ranks_behind_each_other_are_the_file_of_all(tmp_path: Path, device_events: Any) -> None:
    ranks = [events_of(3_000, rank=rank, world_size=2, seed=rank) for rank in range(2)]
    order: list[str] = []
    write(ranks[1], tmp_path / "t.kevents", merge=True, barrier=lambda: order.append("rank 1"))
    written = write(ranks[0], tmp_path / "t.kevents", merge=True, barrier=lambda: order.append("rank 0"))
    assert order == ["rank 1", "rank 0"]
    assert written == [tmp_path / "t_rank0.kevents", tmp_path / "t.kevents"]
    message = device_events.FromString((tmp_path / "t.kevents").read_bytes())
    for each in ranks:
        assert read_columns(message.packet, each.rank) == in_order(each)
    (tmp_path / "t_rank1.kevents").unlink()
    with pytest.raises(KernloopError, match="FILE_NOT_FOUND"):
        write(ranks[0], tmp_path / "t.kevents", merge=True, barrier=lambda: None)
    with pytest.raises(KernloopError, match="NOT_DISTRIBUTED"):
        write(ranks[0], tmp_path / "t.kevents", merge=True)


def test_json_has_whole_numbers_that_a_double_holds(tmp_path: Path) -> None:
    ranks = [events_of(500, rank=rank, world_size=2, seed=rank, dropped=1 << 63) for rank in range(2)]
    for each in ranks:
        write(each, tmp_path / "t.json", merge=True, barrier=lambda: None) if each.rank == 1 else write(
            each, tmp_path / "t.json", host_ranges=[HostRange("a", 1, 2, 3)]
        )
    write(ranks[0], tmp_path / "t.json", merge=True, barrier=lambda: None, host_ranges=[HostRange("a", 1, 2, 3)])
    document = json.loads((tmp_path / "t.json").read_text())
    assert document["schema"] == "kernloop.events/1"
    assert [each["start_ns"] for each in document["host_ranges"]] == ["2"]
    for each, read in zip(ranks, document["ranks"], strict=True):
        ordered, base, columns = in_order(each), int(read["base"]), read["columns"]
        assert read["dropped"] == str(1 << 63)
        assert [base + start for start in columns["start"]] == ordered["timestamp"]
        assert [OPEN if end is None else base + end for end in columns["end"]] == ordered["duration_cycles"]
        assert [int(address, 16) for address in columns["address"]] == [address % (1 << 64) for address in ordered["address"]]
        assert all(columns[name] == ordered[name] for name, dtype in BUFFERS if dtype == "int32")
        assert max(columns["start"]) < 1 << 53


def test_columns_that_are_not_cut_are_refused(tmp_path: Path) -> None:
    events = events_of(10)
    events.columns["pid_n"] = np.zeros(11, np.int32)
    with pytest.raises(KernloopError, match="EVENTS_INVALID"):
        write_ranks(tmp_path / "t.kevents", [events])
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_no_events_is_a_file(tmp_path: Path, device_events: Any) -> None:
    write_ranks(tmp_path / "t.kevents", [events_of(0, dropped=3)])
    [packet] = device_events.FromString((tmp_path / "t.kevents").read_bytes()).packet
    assert (packet.rank.kept, packet.rank.dropped) == (0, 3)


def simulated(offset: int, ppm: float, resolution: int, seed: int, skew: float) -> list[tuple[int, int]]:
    """Round trips of a device whose clock runs `ppm` off: most of the way there (skew near 1), or back (near 0)."""
    rng = random.Random(seed)
    pairs: list[tuple[int, int]] = []
    for burst in (0, 3_000_000_000):
        host = 10**15 + burst
        for _ in range(32):
            before = host
            taken = rng.randrange(2_000, 400_000)
            at = before + int(taken * (skew if rng.random() < 0.9 else rng.random()))
            device = int((at - 10**15) * (1 + ppm / 1e6)) + 10**15 - offset
            ticks = device // resolution * resolution
            pairs += [(ticks, before), (ticks, before + taken)]
            host = before + taken + rng.randrange(100, 10_000)
    return pairs


@pytest.mark.parametrize("skew", [0.0, 0.5, 0.999])
@pytest.mark.parametrize("resolution", [1, 32, 1000])
def test_the_bound_of_an_anchor_holds_however_lopsided_round_trips_are(skew: float, resolution: int) -> None:
    for seed in range(40):
        offset, ppm = (seed - 20) * 10**12, (seed - 20) * 5.0
        found = anchors(simulated(offset, ppm, resolution, seed, skew), Clock(10**9, True, resolution, "globaltimer"))
        assert len(found) == 2
        for anchor in found:
            # The host's time when the device's clock passed device_ns, of the rule that made the samples.
            truth = (anchor.device_ns + offset - 10**15) / (1 + ppm / 1e6) + 10**15
            assert abs(truth - (anchor.device_ns + anchor.offset_ns)) <= anchor.error_ns + 1
            assert anchor.error_ns < 30_000


def test_the_shortest_round_trip_decides_and_not_the_mean() -> None:
    long_ones = [(1_000 + i, 0, 900_000 + i) for i in range(20)]
    best = (1_500, 2_400, 2_500)
    pairs = [pair for ticks, before, after in [*long_ones, best] for pair in ((ticks, before), (ticks, after))]
    [anchor] = anchors(pairs, Clock(10**9, True, 1, "globaltimer"))
    assert anchor.offset_ns == pytest.approx(950, abs=1)
    assert anchor.error_ns <= 52


def test_samples_that_contradict_each_other_are_an_error() -> None:
    pairs = [(1_000, 0), (1_000, 100), (2_000, 100_000), (2_000, 100_100)]
    with pytest.raises(KernloopError, match="CLOCK_UNSTEADY"):
        anchors(pairs, Clock(10**9, True, 1, "globaltimer"))


def test_a_pair_without_a_bracket_bounds_nothing() -> None:
    assert anchors([(1, 5), (2, 6)], NS_CLOCK) == []
    assert to_ns(3, Clock(100_000_000, True, 1, "s_memrealtime")) == 30


def test_ranges_of_the_host_are_taken_once() -> None:
    take_host_ranges()
    with host_range("outer"), host_range("inner"):
        pass
    (inner, outer), left_out = take_host_ranges()
    assert (inner.name, outer.name, left_out) == ("inner", "outer", 0)
    assert outer.start_ns <= inner.start_ns <= inner.end_ns <= outer.end_ns
    assert take_host_ranges() == ([], 0)


def test_ranks_have_files_of_their_own() -> None:
    assert rank_file(Path("a/b.json"), 3) == Path("a/b_rank3.json")
    assert Anchor(1, 2, 3).error_ns == 3
