"""Perfetto's own trace processor on the ping-pong timeline of bench/tracing_two_gpus.py, whose order is known.

    kernloop trace export OUT/ping_pong.kevents --output OUT && kernloop trace export OUT/ping_pong.kevents --output OUT --format chrome
    PYTHONPATH=python/tests python/.venv/bin/python3 bench/tracing_in_perfetto.py OUT/ping_pong.pftrace OUT/ping_pong.chrome.json

The arrow of round i must lead from put i to an access of the other rank that begins after that rank's wait i - 1 ended
and before its wait i ended. If the importer counts an error, lost data or a hint for a file, the script ends with that
count."""

import sys
from pathlib import Path

from perfetto_oracle import load


def report(path):
    imported = load(path)
    rank_of = {each.process: int(each.process.split(":")[0].split()[1]) for each in imported.slices if each.process.startswith("Rank")}
    waits = {(rank_of[each.process], each.args["pid_m"]): each for each in imported.slices if each.name == "wait"}
    right = 0
    for put, access in imported.flows:
        rank, number = rank_of[access.process], put.args["pid_m"]
        before = waits.get((rank, number - 1))
        lands = put.args["target_rank"] == rank != rank_of[put.process] and (access.start, access.end) == (put.start, put.end)
        right += lands and access.start < waits[rank, number].end and (before is None or access.start > before.end)
    slices = sum("op_index" in each.args for each in imported.slices)
    print(f"{path.name}: no complaint, {slices} events, {len(imported.flows)} arrows, {right} on the wait of their round")
    return right == len(imported.flows) > 0


if __name__ == "__main__":
    sys.exit(0 if all([report(Path(each)) for each in sys.argv[1:]]) else 1)
