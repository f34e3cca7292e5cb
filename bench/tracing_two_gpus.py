"""Two ranks on two GPUs play ping-pong, and the recording is compared with the known order.

    torchrun --standalone --nproc-per-node=2 bench/tracing_two_gpus.py OUT

Rank 0 puts i into rank 1's heap and waits for the answer; rank 1 waits for i and puts it back. In any correct clock,
put i of rank 0 starts before wait i of rank 1 ends, and put i of rank 1 starts before wait i of rank 0 ends. Every
round bounds the offset of the two device clocks from both sides, independently of the host's clock: this is compared
with the offset and error in the files' anchors. Prints a table; writes OUT/ping_pong.kevents (and one per rank) and
OUT/two-gpus.json. Nothing but PyTorch, Triton and kernloop is needed."""

import json
import os
import sys
import time

import torch
import torch.distributed as dist
import triton
import triton.language as tl
from kernloop import tracing
from kernloop.tracing import DeviceContext, TraceEvent
from kernloop.tracing.clocks import anchors, resolution_ns

ROUNDS, BURSTS, PAUSE = 2000, 4, 0.4
PUT, WAIT = 3, 3072


@triton.jit
def ping_pong(context, flag, first, ROUNDS: tl.constexpr, RANK: tl.constexpr, TRACING: tl.constexpr):
    ctx = DeviceContext.initialize(context, RANK, 2, tracing=TRACING)
    for round in range(ROUNDS):
        number = first + round
        if RANK == 0:
            handle = ctx.tracing.record_event_start(TraceEvent().put, 1, flag, number, 0)
            ctx.atomic_xchg(flag, number + 1, 1, sem="acq_rel", scope="sys")
            ctx.tracing.record_event_end(handle)
        handle = ctx.tracing.record_event_start(TraceEvent().wait, 1 - RANK, flag, number, 0)
        seen = tl.atomic_add(flag, 0, sem="acquire", scope="sys")
        while seen < number + 1:
            seen = tl.atomic_add(flag, 0, sem="acquire", scope="sys")
        ctx.tracing.record_event_end(handle)
        if RANK == 1:
            handle = ctx.tracing.record_event_start(TraceEvent().put, 0, flag, number, 0)
            ctx.atomic_xchg(flag, number + 1, 0, sem="acq_rel", scope="sys")
            ctx.tracing.record_event_end(handle)


def main(out):
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("gloo")
    rank = tracing.iris(1 << 20)
    flag = rank.zeros(1, dtype=torch.int32)
    me = rank.cur_rank

    def launch(first, rounds, on):
        ping_pong[(1,)](rank.get_device_context(), flag, first, ROUNDS=rounds, RANK=me, TRACING=on, num_warps=1)

    # Compiles and loads the kernel before a rank waits for the other.
    rank.barrier()
    launch(0, ROUNDS, True)
    rank.barrier()
    rank.tracing.enable(max_events=4 * ROUNDS * BURSTS)
    rank.barrier()
    for burst in range(BURSTS):
        with tracing.host_range(f"burst {burst}"):
            launch((burst + 1) * ROUNDS, ROUNDS, True)
            torch.cuda.synchronize()
        time.sleep(PAUSE)
        rank.barrier()
    events = rank.tracing.events()
    every = [None, None]
    dist.all_gather_object(every, (events.columns, events.host_ns, events.clock, events.dropped))
    rank.tracing.export(os.path.join(out, "ping_pong.kevents"), merge=True)
    if me == 0:
        report(every, out)
    dist.barrier()
    dist.destroy_process_group()


def rounds_of(columns, kind):
    """Maps each round to (start, end) of its put or wait."""
    rows = columns["event_id"] == kind
    return {
        int(m): (int(s), int(e))
        for m, s, e in zip(columns["pid_m"][rows], columns["timestamp"][rows], columns["duration_cycles"][rows], strict=True)
    }


def offset_at(points, device):
    """Interpolates linearly between two anchors, like lib/timeline/rank-clock.ts."""
    before, after = points[0], points[-1]
    part = (device - before.device_ns) / (after.device_ns - before.device_ns)
    return before.offset_ns + (after.offset_ns - before.offset_ns) * part


def report(every, out):
    columns = [each[0] for each in every]
    points = [anchors(each[1], each[2]) for each in every]
    steps = [resolution_ns(each[2]) for each in every]
    stated = [max(a.error_ns for a in own) + 2 * step for own, step in zip(points, steps, strict=True)]
    puts, waits = [rounds_of(each, PUT) for each in columns], [rounds_of(each, WAIT) for each in columns]
    rows, disordered, kept = [], 0, 0
    for burst in range(BURSTS):
        low, high, estimates = -(1 << 62), 1 << 62, []
        for number in range((burst + 1) * ROUNDS, (burst + 2) * ROUNDS):
            (sent0, _), (_, got1) = puts[0][number], waits[1][number]
            (sent1, _), (_, got0) = puts[1][number], waits[0][number]
            # clock of rank 1 minus clock of rank 0, plus the resolutions of both
            low, high = max(low, sent1 - got0 - steps[0]), min(high, got1 - sent0 + steps[1])
            estimates.append(offset_at(points[0], sent0) - offset_at(points[1], sent1))
            aligned = [sent0 + offset_at(points[0], sent0), got1 + offset_at(points[1], got1)]
            answer = [sent1 + offset_at(points[1], sent1), got0 + offset_at(points[0], got0)]
            disordered += (aligned[0] > aligned[1]) + (answer[0] > answer[1])
            slack = stated[0] + stated[1]
            kept += (aligned[0] <= aligned[1] + slack) + (answer[0] <= answer[1] + slack)
        estimate = sum(estimates) / len(estimates)
        truth, width = (low + high) / 2, (high - low) / 2
        rows.append({"burst": burst, "truth_ns": truth, "truth_within_ns": width, "estimate_ns": estimate, "off_by_ns": estimate - truth})
    first = [int(each["timestamp"].min()) for each in columns]
    by_minimum = (first[1] - first[0]) - rows[0]["truth_ns"]
    result = {
        "device": torch.cuda.get_device_name(0),
        "rounds": ROUNDS * BURSTS,
        "anchors": [[vars(a) for a in own] for own in points],
        "resolution_ns": steps,
        "stated_error_ns": stated,
        "bursts": rows,
        "within_stated": all(abs(row["off_by_ns"]) <= sum(stated) + row["truth_within_ns"] for row in rows),
        "orders_kept_within_stated": kept,
        "orders": 2 * ROUNDS * BURSTS,
        "orders_wrong_without_slack": disordered,
        "minimum_timestamp_off_by_ns": by_minimum,
        "dropped": [each[3] for each in every],
        "kept": [len(each["event_id"]) for each in columns],
    }
    with open(os.path.join(out, "two-gpus.json"), "w") as file:
        json.dump(result, file, indent=1)
    print(f"{result['device']} x2, {result['rounds']} rounds, stated error of the ranks {stated} ns, resolution {steps} ns")
    print("burst  known offset (ns)   known within  estimate is off by")
    for row in rows:
        print(f"{row['burst']:5}  {row['truth_ns']:18.0f}  {row['truth_within_ns']:10.0f} ns  {row['off_by_ns']:10.0f} ns")
    print(f"orders kept within the stated error: {kept} of {result['orders']}; in the wrong order without slack: {disordered}")
    print(
        f"offset within the stated error of all bursts: {result['within_stated']}; the minimum timestamp would be off by {by_minimum:.0f} ns"
    )


if __name__ == "__main__":
    main(sys.argv[1])
