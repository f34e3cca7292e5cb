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
from perfetto_rules import Imported, load_chrome, load_perfetto

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


def check(imported: Imported, ranks: list[RankEvents], zero: int, bounds: list[int]) -> None:
    """Each event, with its length to the nanosecond, once: found by its rank and number."""
    seen = {(each.process, each.args["op_index"]): each for each in [*imported.slices, *imported.instants] if "op_index" in each.args}
    assert len(seen) == sum(each.kept for each in ranks)
    names = {COMPUTE: "compute", USER: "fetch", PUT: "put", GET: "get", 4000: "wait <for> all"}
    for events in ranks:
        process = f"Rank {events.rank}: H200"
        shift = -zero + HOST - (BASE + events.rank * RANK_AWAY)
        c = events.columns
        for i in range(events.kept):
            each = seen[process, int(c["op_index"][i])]
            name, start, end = names[int(c["event_id"][i])], int(c["timestamp"][i]), int(c["duration_cycles"][i])
            assert abs(each.start - (start + shift)) <= bounds[events.rank]
            assert each.args["program_id"] == c["pid"][i]
            assert each.args["pid_m"] == c["pid_m"][i]
            assert each.args["pid_n"] == c["pid_n"][i]
            assert each.args["target_rank"] == c["target_rank"][i]
            assert each.args["payload_bytes"] == c["payload_size"][i]
            address = each.args["address"]
            assert (int(address, 16) if isinstance(address, str) else address) == c["address"][i]
            assert re.split("[/,]", each.track)[0] == f"SM {c['cu_id'][i]}"
            if end == OPEN:
                assert each in imported.instants and each.name == f"{name} (never ended)"
            elif end < start:
                assert each in imported.instants and each.args["end_before_start"] == start - end
            else:
                assert (each.name, each.end - each.start) == (name, end - start)
    nested = [each for each in imported.slices if each.depth > 0 and each.category != "host"]
    assert len(nested) > 1000, "programs nest in themselves"
    check_flows(imported, ranks)


def check_flows(imported: Imported, ranks: list[RankEvents]) -> None:
    moves = sum(int(np.isin(each.columns["event_id"], (PUT, GET)).sum()) for each in ranks)
    assert len(imported.flows) == moves
    for source, target in imported.flows.values():
        event, remote = (source, target) if "op_index" in source.args else (target, source)
        own, other = event.process.removesuffix(": H200"), remote.process.removesuffix(": H200")
        assert (event is source) == (event.name == "put")
        assert other == f"Rank {event.args['target_rank']}" != own
        assert (remote.start, remote.end) == (event.start, event.end)
        assert re.split("[/,]", remote.track)[0] == "remote accesses"
        assert remote.name == f"{event.name} {'from' if event.name == 'put' else 'by'} rank {own[-1]}"


@pytest.mark.parametrize(("form", "load", "ending"), [("perfetto", load_perfetto, "pftrace"), ("chrome", load_chrome, "chrome.json")])
def test_every_event_is_on_the_timeline_as_it_was(two_ranks: Any, form: str, load: Any, ending: str) -> None:
    ranks, path = two_ranks
    timeline = export(path, "--format", form)["timeline"]
    assert (timeline["unit"], timeline["alignment"], timeline["hostRanges"]) == ("ns", "host", 3)
    assert [(each["kept"], each["dropped"], each["open"], each["reversed"]) for each in timeline["ranks"]] == [
        (each.kept, str(each.dropped), int((each.columns["duration_cycles"] == OPEN).sum()), 1) for each in ranks
    ]
    bounds = [each["errorNs"] for each in timeline["ranks"]]
    assert all(500 < bound < 700 for bound in bounds), "half of a round trip, the resolution, and what clocks drift meanwhile"
    imported = load(path.with_suffix(f".{ending}"))
    check(imported, ranks, int(timeline["zero"]), bounds)
    host = {each.name: each for each in imported.slices if each.category == "host"}
    assert int(timeline["zero"]) == HOST - 40_000
    assert {name: (each.start, each.end, each.depth) for name, each in host.items()} == {
        "step": (0, 290_000, 0),
        "launch": (0, 10_000, 1),
        "other thread": (5_000, 40_001, 0),
    }


def test_files_of_ranks_are_the_merged_file(two_ranks: Any, tmp_path: Path) -> None:
    ranks, _ = two_ranks
    for each in ranks:
        write(each, tmp_path / "t.kevents")
    export(rank_file(tmp_path / "t.kevents", 0), "--ranks", str(rank_file(tmp_path / "t.kevents", 1)))
    imported = load_perfetto(tmp_path / "t_rank0.pftrace")
    check_flows(imported, ranks)
    write_ranks(tmp_path / "t.json", ranks)
    export(tmp_path / "t.json")
    assert (tmp_path / "t.json").with_suffix(".pftrace").read_bytes() == (tmp_path / "t_rank0.pftrace").read_bytes()


def test_steps_of_the_software_gpu_are_never_called_time(tmp_path: Path) -> None:
    ranks = [recorded(rank, clock=Clock(1, False, 0, "softgpu"), programs=20) for rank in range(2)]
    write_ranks(tmp_path / "t.kevents", [replace(each, target="amd-gfx90a") for each in ranks], [HostRange("a", 1, 1, 2)])
    timeline = export(tmp_path / "t.kevents", "--format", "html")["timeline"]
    assert (timeline["unit"], timeline["alignment"], timeline["hostRanges"]) == ("steps", "none", 0)
    page = (tmp_path / "t.html").read_text()
    assert not re.search(r"\d (ns|µs|ms|s)\b", re.sub("<svg.*</svg>", "", page, flags=re.DOTALL))
    assert "steps of the software GPU, which are no time" in page
    assert "wait &lt;for&gt; all" in page and "<for>" not in page
    assert not re.search(r"src=|href=(?!\"#)|@import|url\(", page), "nothing is loaded"
