"""`kernloop trace export` of what Python wrote: every event on the timeline is the one of the columns, by Perfetto's rules."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from perfetto_oracle import Imported, counted, load

from kernloop.tracing import OPEN, Clock, RankEvents
from kernloop.tracing.events import BUFFERS
from kernloop.tracing.export import rank_file, write, write_ranks
from kernloop.tracing.ranges import HostRange

ROOT = Path(__file__).resolve().parents[2]
CLOCK = Clock(1_000_000_000, True, 32, "globaltimer")
BASE = 1_790_000_000_000_000_000
HOST = 5_000_000_000
PUT, GET, USER, COMPUTE = 3, 2, 1024, 2048
RANK_AWAY = 7_000_000_000_000
"""The clocks of the devices are hours apart."""


def recorded(rank: int, world_size: int = 2, programs: int = 400, clock: Clock = CLOCK) -> RankEvents:
    """Programs of some units, several at once on each: an event around three others, of which one goes to another rank."""
    rng = np.random.default_rng(rank + 1)
    rows: list[dict[str, int]] = []
    base = BASE + rank * RANK_AWAY
    for program in range(programs):
        start = base + int(rng.integers(0, 200_000))
        times = np.sort(rng.integers(start, start + 5_000, 6)).tolist()
        unit = int(rng.integers(0, 6))
        for identity, begin, end in [
            (COMPUTE, start, start + 5_000),
            (USER, times[0], times[1]),
            (PUT if program % 2 else GET, times[2], times[3]),
            (4000, times[4], OPEN if program % 7 == 0 else times[5]),
        ]:
            target = (rank + 1) % world_size if identity in (PUT, GET) else rank
            rows.append(
                {"event_id": identity, "pid": program, "cu_id": unit, "target_rank": target, "timestamp": begin, "duration_cycles": end}
            )
    rows.append({"event_id": USER, "pid": programs, "timestamp": base, "duration_cycles": base})
    rows.append({"event_id": USER, "pid": programs, "timestamp": base + 9, "duration_cycles": base + 2})
    columns: dict[str, Any] = {name: np.array([row.get(name, 0) for row in rows], dtype) for name, dtype in BUFFERS}
    for name in ("pid_m", "pid_n", "payload_size"):
        columns[name] = rng.integers(0, 1 << 20, len(rows), dtype=np.int32)
    columns["address"] = rng.integers(0, 1 << 62, len(rows)) * 2
    columns["cur_rank"][:], columns["op_index"] = rank, np.arange(len(rows), dtype=np.int32)
    order = rng.permutation(len(rows))
    # Round trips of 1 us and more before and after, of a clock that runs even.
    host = [
        pair
        for since in (-50_000, 260_000)
        for trip in range(8)
        for pair in ((base + since + 400 + trip, HOST + since + trip), (base + since + 400 + trip, HOST + since + trip + 1_000))
    ]
    columns = {name: values[order] for name, values in columns.items()}
    return RankEvents(rank, world_size, "H200", "cuda-sm_90", clock, columns, len(rows), rank, {4000: "wait <for> all"}, tuple(host))


def export(path: Path, *words: str) -> dict[str, Any]:
    command = ["node", str(ROOT / "bin" / "kernloop.js"), "trace", "export", str(path), "--output", str(path.parent), "--json", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    result: dict[str, Any] = json.loads(done.stdout)["result"]
    return result


@pytest.fixture(scope="module")
def two_ranks(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[RankEvents], Path]:
    path = tmp_path_factory.mktemp("events") / "all.kevents"
    ranks = [recorded(0), recorded(1)]
    ranges = [HostRange("step", 7, HOST - 40_000, HOST + 250_000), HostRange("launch", 7, HOST - 40_000, HOST - 30_000)]
    ranges += [HostRange("other thread", 8, HOST - 35_000, HOST + 1)]
    write_ranks(path, ranks, ranges)
    return ranks, path


NAMES = {COMPUTE: "compute", USER: "fetch", PUT: "put", GET: "get", 4000: "wait <for> all"}


def check(imported: Imported, ranks: list[RankEvents], zero: int, bounds: list[int], names: dict[int, str] = NAMES) -> None:
    """Each event, with its length to the nanosecond, once: found by its rank and number."""
    own = [each for each in imported.slices if "op_index" in each.args]
    seen = {(each.process, each.args["op_index"]): each for each in own}
    assert len(seen) == len(own) == sum(each.kept for each in ranks)
    for events in ranks:
        process = f"Rank {events.rank}: H200"
        shift = -zero + HOST - (BASE + events.rank * RANK_AWAY)
        c = events.columns
        moved = set()
        for i in range(events.kept):
            each = seen[process, int(c["op_index"][i])]
            name, start, end = names[int(c["event_id"][i])], int(c["timestamp"][i]), int(c["duration_cycles"][i])
            assert abs(each.start - (start + shift)) <= bounds[events.rank]
            moved.add(each.start - start)
            assert each.args["program_id"] == c["pid"][i]
            assert each.args["pid_m"] == c["pid_m"][i]
            assert each.args["pid_n"] == c["pid_n"][i]
            assert each.args["target_rank"] == c["target_rank"][i]
            assert each.args["payload_bytes"] == c["payload_size"][i]
            address = each.args["address"]
            assert (int(address, 16) if isinstance(address, str) else address) % (1 << 64) == int(c["address"][i]) % (1 << 64)
            assert re.split("[/,]", each.track)[0] == f"SM {c['cu_id'][i]}"
            if each.parent is not None:
                assert each.parent.args["program_id"] == c["pid"][i], "programs nest in themselves alone"
            if end == OPEN:
                assert (each.name, each.duration) == (f"{name} (never ended)", 0)
            elif end < start:
                assert (each.name, each.duration) == (f"{name} (ends before it starts)", 0)
                assert each.args["end_before_start"] == start - end
            else:
                assert (each.name, each.duration) == (name, end - start)
        assert len(moved) <= 2, "the two stretches of a rank are moved as a whole; no time is rounded"
    check_flows(imported, ranks)


def check_flows(imported: Imported, ranks: list[RankEvents]) -> None:
    moved = []
    for each in ranks:
        moves = np.isin(each.columns["event_id"], (PUT, GET))
        moved += [(each.rank, int(number)) for number in each.columns["op_index"][moves]]
    arrows = {}
    for source, target in imported.flows:
        event, remote = (source, target) if "op_index" in source.args else (target, source)
        rank, other = (int(each.process.removesuffix(": H200").removeprefix("Rank ")) for each in (event, remote))
        arrows[rank, event.args["op_index"]] = event
        assert (event is source) == (event.name == "put")
        assert event.args["target_rank"] == other != rank
        assert (remote.start, remote.end) == (event.start, event.end)
        assert re.split("[/,]", remote.track)[0] == "remote accesses"
        assert remote.name == f"{event.name} {'from' if event.name == 'put' else 'by'} rank {rank}"
    assert len(imported.flows) == len(arrows)
    assert sorted(arrows) == sorted(moved)


FORMS = pytest.mark.parametrize(("form", "ending"), [("perfetto", "pftrace"), ("chrome", "chrome.json")])


@FORMS
def test_every_event_is_on_the_timeline_as_it_was(two_ranks: Any, form: str, ending: str) -> None:
    ranks, path = two_ranks
    timeline = export(path, "--format", form)["timeline"]
    assert (timeline["unit"], timeline["alignment"], timeline["host_ranges"]) == ("ns", "host", 3)
    assert [(each["kept"], each["dropped"], each["open"], each["reversed"]) for each in timeline["ranks"]] == [
        (each.kept, str(each.dropped), int((each.columns["duration_cycles"] == OPEN).sum()), 1) for each in ranks
    ]
    bounds = [each["error_ns"] for each in timeline["ranks"]]
    assert all(500 < bound < 700 for bound in bounds), "half of a round trip, the resolution, and what clocks drift meanwhile"
    imported = load(path.with_suffix(f".{ending}"))
    check(imported, ranks, int(timeline["zero"]), bounds)
    nested = [each for each in imported.slices if each.depth > 0 and each.category != "host"]
    assert len(nested) > 1000, "programs nest in themselves"
    host = {each.name: each for each in imported.slices if each.category == "host"}
    assert int(timeline["zero"]) == HOST - 40_000
    assert {name: (each.start, each.end, each.depth) for name, each in host.items()} == {
        "step": (0, 290_000, 0),
        "launch": (0, 10_000, 1),
        "other thread": (5_000, 40_001, 0),
    }


DAYS = 90 * 86_400 * 10**9
LONG = 'a "name" \\ of\ttwo\nlines, \U0001f680 \u00e9 </script> ' + "y" * 5_000


def unusual(rank: int, world_size: int) -> RankEvents:
    """Of every length that there is, at once, one after the other without a gap, across each other, in the smallest and largest numbers;
    quarters of a year apart. Names as users may give them."""
    base = BASE + rank * RANK_AWAY
    most, least = np.iinfo(np.int32).max, np.iinfo(np.int32).min
    rows: list[tuple[int, ...]] = []
    for program in range(40):
        for identity, since, length in [
            *[(COMPUTE, 0, 1000), (COMPUTE, 0, 1000), (USER, 0, 0), (USER, 0, 500), (1999, 500, 500), (1999, 1000, 0), (USER, 1000, 0)],
            # Across the end of the ones before, and behind it without a gap.
            *[(PUT, 700, 800), (GET, 1500, 0), (PUT, 1500, 1), (GET, 1501, 1), (COMPUTE, 1502, 1 << 40), (USER, 1600, -1), (4000, 1600, 9)],
            *[(PUT, DAYS, 7 + rank), (USER, DAYS + 2000, 0), (USER, DAYS + 3000, -1), (USER, DAYS + 3000, 3)],
        ]:
            end = OPEN if length < 0 else base + since + length
            rows.append((identity, program if program % 3 else most - program, since + base, end))
    identities, programs, starts, ends = (np.array(each, np.int64) for each in zip(*rows, strict=True))
    columns: dict[str, Any] = {name: np.zeros(len(rows), dtype) for name, dtype in BUFFERS}
    columns |= {"event_id": identities.astype(np.int32), "pid": programs.astype(np.int32), "timestamp": starts, "duration_cycles": ends}
    columns["cu_id"] = (np.arange(len(rows), dtype=np.int32) // 18 % 3) * 65
    # To every other rank in turn.
    columns["target_rank"] = ((rank + 1 + np.arange(len(rows)) % (world_size - 1)) % world_size).astype(np.int32)
    columns["pid_m"][:], columns["pid_n"][:], columns["payload_size"][:] = most, least, most
    columns["address"] = np.array([-1, np.iinfo(np.int64).min, np.iinfo(np.int64).max, 1 << 53 | 1], np.int64)[np.arange(len(rows)) % 4]
    columns["cur_rank"][:] = rank
    columns["op_index"] = np.arange(len(rows), dtype=np.int32)
    trips = [(base + since, HOST + since + side) for since in (-1000, DAYS + 10_000) for side in (-400, 400)]
    names = {USER: LONG, 1999: "\u202ebackwards", 4000: "zero\0byte"}
    return RankEvents(rank, world_size, "H200", "cuda-sm_90", CLOCK, columns, len(rows), 0, names, tuple(trips))


def profile_of(path: Path, boot: str) -> list[tuple[str, int, int, int]]:
    """Launches on two streams, of which some overlap on their own; as `kernloop profile` writes them."""
    rows = [(0, 7, -900, 5000), (0, 7, 5000, 5000), (1, 7, 4000, 9000), (1, 13, -900, DAYS), (0, 7, 9000, 9001)]
    figures: dict[str, Any] = dict.fromkeys(("dispatches", "total", "min", "median", "max"), 1)
    figures |= {"symbol": "k", "code_object": "", "share": 0.5, "geometries": []}
    listed = [
        {"kernel": kernel, "start_ns": str(HOST + start), "end_ns": str(HOST + end), "device": 0, "stream": stream}
        for kernel, stream, start, end in rows
    ]
    profile = {
        "schema": "kernloop.profile/1",
        "app": "t",
        "device": {"kind": "cuda", "identity": "H200"},
        "work": "duration_ns",
        "processes": 1,
        "dispatches": 5,
        "total": 1,
        "kernels": [{"name": name, **figures} for name in ("gemm<float, 3>", LONG)],
        "launches": {"boot": boot, "left_out": 0, "rows": listed},
    }
    path.write_text(json.dumps(profile))
    return sorted((profile["kernels"][kernel]["name"], stream, start, end) for kernel, stream, start, end in rows)


@FORMS
def test_unusual_events_of_four_ranks_with_launches(tmp_path: Path, form: str, ending: str) -> None:
    ranks = [unusual(rank, 4) for rank in range(4)]
    ranges = [HostRange(LONG, (1 << 63) - 1, HOST - 2_000, HOST + DAYS), HostRange("across it", (1 << 63) - 1, HOST, HOST + DAYS + 1)]
    write_ranks(tmp_path / "t.kevents", ranks, ranges)
    launches = profile_of(tmp_path / "profile.json", Path("/proc/sys/kernel/random/boot_id").read_text().strip())
    timeline = export(tmp_path / "t.kevents", "--format", form, "--profile", str(tmp_path / "profile.json"))["timeline"]
    zero = int(timeline["zero"])
    assert (zero, timeline["launches"], timeline["host_ranges"]) == (HOST - 2_000, 5, 2)
    imported = load(tmp_path / f"t.{ending}")
    # Viewers end a name at a zero byte.
    names = {**NAMES, USER: LONG, 1999: "\u202ebackwards", 4000: "zero\u2400byte"}
    check(imported, ranks, zero, [each["error_ns"] for each in timeline["ranks"]], names)
    shown = [each for each in imported.slices if each.category in ("launch", "host")]
    assert sorted(
        (each.name, int(re.sub(r".*stream (\d+).*", r"\1", each.track)), each.start + zero - HOST, each.end + zero - HOST)
        for each in shown
        if each.category == "launch"
    ) == launches
    assert all(each.process == "Kernel launches" and each.depth == 0 for each in shown if each.category == "launch")
    assert {(each.name, each.start, each.duration) for each in shown if each.category == "host"} == {
        (LONG, 0, DAYS + 2_000),
        ("across it", 2_000, DAYS + 1),
    }
    # Counted from what was put in: an event, or an event and its other end.
    moves = sum(int(np.isin(each.columns["event_id"], (PUT, GET)).sum()) for each in ranks)
    assert len(imported.slices) == sum(each.kept for each in ranks) + moves + 5 + 2


def broken_perfetto(trace: bytes, what: str) -> bytes:
    """One thing of it wrong, as a plausible mistake would have it."""
    message = perfetto_trace().FromString(trace)
    events = [(at, each.track_event) for at, each in enumerate(message.packet) if each.HasField("track_event")]
    units = {event.track_uuid for _, event in events if "compute" in event.categories}
    of_units = [(message.packet[at], event) for at, event in events if event.track_uuid in units]
    ends = [(packet, event.track_uuid) for packet, event in of_units if event.type == event.TYPE_SLICE_END]
    if what == "an end that is missing":
        message.packet.remove(ends[0][0])
    elif what == "slices across each other":
        # One that lies within the one before it ends behind that.
        last: dict[int, int] = {}
        inner = next((packet, track) for packet, track in ends if packet.timestamp < last.setdefault(track, packet.timestamp))
        inner[0].timestamp = last[inner[1]] + 1
    elif what == "a name that is not there":
        events[0][1].name_iid = 99_999
    elif what == "state that was never cleared":
        message.packet[0].sequence_flags = 2
    elif what == "an arrow that only ends":
        for _, event in events:
            del event.flow_ids[:]
    else:
        raise AssertionError(what)
    return bytes(message.SerializeToString())


def perfetto_trace() -> Any:
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace

    return Trace


def broken_chrome(trace: bytes, what: str) -> bytes:
    document = json.loads(trace)
    slices = [each for each in document["traceEvents"] if each["ph"] == "X" and each["dur"] > 2]
    if what == "slices across each other":
        slices[-1]["dur"] += 1
        document["traceEvents"].append({**slices[-1], "ts": slices[-1]["ts"] + 1})
    elif what == "an arrow that only ends":
        document["traceEvents"] = [each for each in document["traceEvents"] if each["ph"] != "s"]
    else:
        raise AssertionError(what)
    return json.dumps(document).encode()


@pytest.fixture(scope="module")
def exported(two_ranks: Any) -> tuple[list[RankEvents], dict[str, Path], dict[str, Any]]:
    ranks, path = two_ranks
    (perfetto, chrome) = (export(path, "--format", form)["timeline"] for form in ("perfetto", "chrome"))
    assert perfetto == chrome
    return ranks, {"perfetto": path.with_suffix(".pftrace"), "chrome": path.with_suffix(".chrome.json")}, perfetto


BREAK = {"perfetto": broken_perfetto, "chrome": broken_chrome}


@pytest.mark.parametrize(
    ("form", "what", "complaint"),
    [
        ("perfetto", "a name that is not there", "interned_data_tokenizer_errors"),
        ("perfetto", "state that was never cleared", "tokenizer_skipped_packets"),
        ("chrome", "slices across each other", "slice_drop_overlapping_complete_event"),
        ("chrome", "an arrow that only ends", "flow_end_without_start"),
    ],
)
def test_the_oracle_complains_of_a_broken_file(exported: Any, form: str, what: str, complaint: str) -> None:
    _, paths, _ = exported
    assert counted(BREAK[form](paths[form].read_bytes(), what)).get(complaint, 0) > 0


@pytest.mark.parametrize("what", ["an end that is missing", "slices across each other", "an arrow that only ends"])
def test_what_the_oracle_does_not_count_it_shows_otherwise(exported: Any, tmp_path: Path, what: str) -> None:
    ranks, paths, timeline = exported
    (tmp_path / "broken.pftrace").write_bytes(broken_perfetto(paths["perfetto"].read_bytes(), what))
    imported = load(tmp_path / "broken.pftrace")
    with pytest.raises(AssertionError):
        check(imported, ranks, int(timeline["zero"]), [each["error_ns"] for each in timeline["ranks"]])


def test_files_of_ranks_are_the_merged_file(two_ranks: Any, tmp_path: Path) -> None:
    ranks, _ = two_ranks
    for each in ranks:
        write(each, tmp_path / "t.kevents")
    export(rank_file(tmp_path / "t.kevents", 0), "--ranks", str(rank_file(tmp_path / "t.kevents", 1)))
    imported = load(tmp_path / "t_rank0.pftrace")
    check_flows(imported, ranks)
    write_ranks(tmp_path / "t.json", ranks)
    export(tmp_path / "t.json")
    assert (tmp_path / "t.json").with_suffix(".pftrace").read_bytes() == (tmp_path / "t_rank0.pftrace").read_bytes()


def test_steps_of_the_software_gpu_are_never_called_time(tmp_path: Path) -> None:
    ranks = [recorded(rank, clock=Clock(1, False, 0, "softgpu"), programs=20) for rank in range(2)]
    write_ranks(tmp_path / "t.kevents", [replace(each, target="amd-gfx90a") for each in ranks], [HostRange("a", 1, 1, 2)])
    timeline = export(tmp_path / "t.kevents", "--format", "html")["timeline"]
    assert (timeline["unit"], timeline["alignment"], timeline["host_ranges"]) == ("steps", "none", 0)
    page = (tmp_path / "t.html").read_text()
    assert not re.search(r"\d (ns|µs|ms|s)\b", re.sub("<svg.*</svg>", "", page, flags=re.DOTALL))
    assert "steps of the software GPU, which are not times" in page
    assert "wait &lt;for&gt; all" in page and "<for>" not in page
    assert not re.search(r"src=|href=(?!\"#)|@import|url\(", page), "nothing is loaded"
