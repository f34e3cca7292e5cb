"""`python3 bench/timeline_events.py EVENTS FILE`: events of two ranks in the export format of kernloop.tracing, for
bench/timeline.mjs. Two programs at a time run on each of 132 SMs with three events each, one of which goes to the
other rank."""

import sys
from pathlib import Path

import numpy as np
from kernloop.tracing import Clock, RankEvents
from kernloop.tracing.events import BUFFERS
from kernloop.tracing.export import write

BASE, HOST, SMS = 1_790_000_000_000_000_000, 10**15, 132


def rank_events(rank, events):
    programs = events // 3
    rng = np.random.default_rng(rank)
    number = np.arange(programs)
    start = BASE + number // (2 * SMS) * 10_000 + number // SMS % 2 * 300 + rng.integers(0, 200, programs)
    length = 9_000 + rng.integers(0, 500, programs)
    edges = [start + length * part // 3 for part in range(4)]
    columns = {
        "event_id": np.tile([1024, 2048, 3], programs),
        "pid": np.repeat(number, 3),
        "cur_rank": np.full(3 * programs, rank),
        "target_rank": np.tile([rank, rank, 1 - rank], programs),
        "cu_id": np.repeat(number % SMS, 3),
        "timestamp": np.stack(edges[:3], 1).ravel(),
        "duration_cycles": np.stack(edges[1:], 1).ravel(),
        "op_index": np.arange(3 * programs),
        "address": 0x7F0000000000 + np.repeat(number, 3) * 4096,
    }
    columns = {name: columns.get(name, np.zeros(3 * programs)).astype(kind) for name, kind in BUFFERS}
    ends = (BASE - 100_000, int(columns["duration_cycles"].max()) + 100_000)
    host = tuple(pair for at in ends for pair in ((at, at - BASE + HOST - 700), (at, at - BASE + HOST + 900)))
    return RankEvents(rank, 2, "bench", "cuda-sm_90", Clock(10**9, True, 32, "globaltimer"), columns, 3 * programs, 0, {}, host)


for rank in range(2):
    write(rank_events(rank, int(sys.argv[1]) // 2), Path(sys.argv[2]))
