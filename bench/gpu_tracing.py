"""Device tracing on this machine's GPU, with PyTorch and Triton: fields, overflow, cost when off and on, speed,
accuracy of its times.

PYTHONPATH=python/src:python/tests python3 bench/gpu_tracing.py [results.json]
"""

import itertools
import json
import statistics
import sys
import time

import numpy as np
import torch
import tracing_kernels as kernels
import triton
import triton.language as tl
from torch.profiler import ProfilerActivity, profile
from triton.experimental.gluon import language as gl

import kernloop.tracing as iris
from kernloop.tracing import OPEN, DeviceContext, TraceEvent

ITERATIONS = 150
failures = []


def check(what, holds, detail=""):
    print(f"  {'ok  ' if holds else 'FAIL'} {what} {detail}", flush=True)
    if not holds:
        failures.append(f"{what} {detail}")
    return holds


# Correctness


def records(events, *names):
    return sorted(zip(*(events.columns[name].tolist() for name in names), strict=True))


FIELDS = ("event_id", "pid", "pid_m", "pid_n", "cur_rank", "target_rank", "xcc_id", "address", "payload_size")


def well_formed(name, events, multiprocessors):
    start, end, pid, unit = (events.columns[each] for each in ("timestamp", "duration_cycles", "pid", "cu_id"))
    check(f"{name}: slots in order", events.columns["op_index"].tolist() == list(range(events.kept)))
    check(f"{name}: start <= end", bool(((start <= end) | (end == OPEN)).all()) and bool((start > 0).all()))
    check(f"{name}: SM ids", bool(((unit >= 0) & (unit < multiprocessors)).all()))
    order = np.lexsort((events.columns["op_index"], pid))
    same = pid[order][1:] == pid[order][:-1]
    check(f"{name}: a program stays on its SM", bool((unit[order][1:] == unit[order][:-1])[same].all()))
    later = start[order][1:] >= np.maximum(start, end)[order][:-1]
    check(f"{name}: a program's events follow each other", bool(later[same].all()))


def fields(multiprocessors):
    n, block, world = 1_000_003, 256, 2
    programs = triton.cdiv(n, block)
    ranks = iris.iris_in_process(world, 64 << 20)
    size = [4 * (min(n, (pid + 1) * block) - pid * block) for pid in range(programs)]
    layout = gl.BlockedLayout([1], [32], [4], [0])
    work = []
    for rank in ranks:
        x, out, gathered = (
            rank.empty(n, dtype=torch.float32),
            rank.zeros(n, dtype=torch.float32),
            rank.zeros(world * n, dtype=torch.float32),
        )
        x.copy_(torch.randn(n))
        work.append((rank, x, out, gathered))
    for kind in ("an atomic an event", "slots claimed", "Gluon"):
        for rank, x, out, gathered in work:
            rank.tracing.enable(max_events=world * programs)
            context, me = rank.get_device_context(), rank.cur_rank
            if kind == "Gluon":
                kernels.gather[(programs,)](iris.IrisDeviceCtx, context, x, gathered, n, block, layout, TRACING=True)
                base = gathered.data_ptr() + 4 * me * n
                wanted = [(3, p, p, 0, me, to, 0, base + 4 * block * p, size[p]) for p in range(programs) for to in range(world)]
            else:
                arguments = (context, x, out, n, me, world, block, True)
                if kind == "slots claimed":
                    kernels.scatter_claimed[(programs,)](*arguments, SLOTS=world)
                else:
                    kernels.scatter[(programs,)](*arguments)
                base = out.data_ptr()
                wanted = [(3, p, 3 * p, 7 - to, me, to, 0, base + 4 * block * p, size[p]) for p in range(programs) for to in range(world)]
            events = rank.tracing.events()
            name = f"{kind}, rank {me}"
            check(f"{name}: every field", records(events, *FIELDS) == sorted(wanted), f"{events.kept} events, {events.dropped} dropped")
            well_formed(name, events, multiprocessors)
            if kind != "Gluon":
                check(f"{name}: data", all(bool((theirs == x).all()) for _, _, theirs, _ in work))
    check("Gluon: data", all(bool((g == torch.cat([x for _, x, _, _ in work])).all()) for _, _, _, g in work))
    rank, *_ = ranks
    m, n, tile = 1000, 3000, (16, 64)
    grid = (triton.cdiv(n, tile[1]), triton.cdiv(m, tile[0]))
    x, out = torch.randint(0, 99, (m, n), device="cuda"), torch.zeros(grid[1], dtype=torch.int64, device="cuda")
    rank.tracing.enable(max_events=4 * grid[0] * grid[1])
    kernels.tiles[grid](rank.get_device_context(), x, out, m, n, *tile, TRACING=True)
    events = rank.tracing.events()
    wanted = []
    for i, j in itertools.product(range(grid[1]), range(grid[0])):
        inside = min(16, m - 16 * i) * min(64, n - 64 * j)
        wanted.append((1500, j, i, j, 0, 0, 0, x.data_ptr() + 8 * (16 * i * n + 64 * j), 8 * inside))
        wanted.append((2047, j, i, j, 0, 5, 0, out.data_ptr(), 0))
        wanted.append((2000, j, i, j, 0, 0, 0, wanted[-2][7], 8 * 64 * min(16, m - 16 * i)))
        wanted.append((4095, j, i, j, 0, -1, 0, out.data_ptr() + 8 * i, 8 if i < 1 else 0))
    check("tiles: every field", records(events, *FIELDS) == sorted(wanted), f"{events.kept} events")
    check(
        "tiles: open events", bool(((events.columns["duration_cycles"] == OPEN) == np.isin(events.columns["event_id"], [2000, 2047])).all())
    )


def graphs():
    """A captured graph is switched by the host: the context stays the same array."""
    n, block = 10_000, 256
    (rank,) = iris.iris_in_process(1, 1 << 20)
    x, out = rank.ones(n, dtype=torch.float32), rank.zeros(n, dtype=torch.float32)

    def launch():
        kernels.scatter[(triton.cdiv(n, block),)](rank.get_device_context(), x, out, n, 0, 1, block, True)

    launch()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        launch()
    kept = []
    for way in (rank.tracing.enable, rank.tracing.disable, rank.tracing.enable):
        way()
        if rank.tracing.enabled:
            rank.tracing.reset()
        graph.replay()
        kept.append(rank.tracing.events().kept)
    check("a captured graph is switched on, off and on", kept == [40, 40, 40] and rank.tracing.enabled, str(kept))


def overflow():
    programs, world, fits = 5000, 3, 1500
    rank, *_ = iris.iris_in_process(world, 1 << 22)
    x, out = rank.ones(1000, dtype=torch.float32), rank.zeros(1000, dtype=torch.float32)
    for slots, already in itertools.product((None, 3, 2), (0, 2**31 - 20, 2**32 - 20)):
        rank.tracing.enable(max_events=fits)
        rank.tracing.trace_counter.fill_(already)
        arena = rank.tracing._arena
        before = arena.clone()
        arguments = (rank.get_device_context(), x, out, 1000, 0, world, 256, True)
        kernels.scatter[(programs,)](*arguments) if slots is None else kernels.scatter_claimed[(programs,)](*arguments, SLOTS=slots)
        events = rank.tracing.events()
        exact = events.dropped == already + world * programs - fits and events.kept == (0 if already else fits)
        untouched = bool((before[2:] == arena[2:]).all()) if already else True
        name = f"overflow, {'an atomic an event' if slots is None else f'{slots} slots for 3 events'}, {already} before"
        check(name, exact and untouched, f"{events.kept} kept, {events.dropped} dropped")


# Cost


@triton.jit
def gemm(
    context,
    a,
    b,
    c,
    M,
    N,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
    TRACING: tl.constexpr,
    BLOCKS: tl.constexpr,
):
    ctx = DeviceContext.initialize(context, 0, 1, tracing=TRACING)
    pid = tl.program_id(0)
    across = tl.cdiv(N, BN)
    first = pid // (GROUP * across) * GROUP
    height = min(tl.cdiv(M, BM) - first, GROUP)
    pid_m = first + pid % (GROUP * across) % height
    pid_n = pid % (GROUP * across) // height
    rows, columns, inner = pid_m * BM + tl.arange(0, BM), pid_n * BN + tl.arange(0, BN), tl.arange(0, BK)
    left, right = a + rows[:, None] * K + inner[None, :], b + inner[:, None] * N + columns[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, tl.cdiv(K, BK)):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left += BK
        right += BK * N
    target = c + rows[:, None] * N + columns[None, :]
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    if BLOCKS:  # Iris's example passes all pointers, and a mask
        handle = ctx.tracing.record_event_start(TraceEvent().store, 0, target, pid_m, pid_n, mask)
    else:
        handle = ctx.tracing.record_event_start(TraceEvent().store, 0, c, pid_m, pid_n)
    tl.store(target, total.to(tl.float16), mask=mask)
    ctx.tracing.record_event_end(handle)


@triton.jit
def add(context, x, y, out, n, BLOCK: tl.constexpr, TRACING: tl.constexpr):
    ctx = DeviceContext.initialize(context, 0, 1, tracing=TRACING)
    pid = tl.program_id(0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    handle = ctx.tracing.record_event_start(TraceEvent().copy, 0, out + at, pid, 0, mask)
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)
    ctx.tracing.record_event_end(handle)


@triton.jit
def add_persistent(context, x, y, out, n, BLOCK: tl.constexpr, TILES: tl.constexpr, TRACING: tl.constexpr):
    """The slots of all tiles claimed at the start."""
    ctx = DeviceContext.initialize(context, 0, 1, tracing=TRACING, slots=TILES)
    pid = tl.program_id(0)
    for tile in range(TILES):
        at = (tile * tl.num_programs(0) + pid) * BLOCK + tl.arange(0, BLOCK)
        mask = at < n
        handle = ctx.tracing.record_event_start(TraceEvent().copy, 0, out + at, pid, tile, mask, slot=tile)
        tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)
        ctx.tracing.record_event_end(handle)


def microseconds(launch):
    # Sleeps on the device first, so that the launch time of the host is not measured.
    torch.cuda._sleep(400_000)
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    launch()
    end.record()
    return begin, end


def overhead(name, rank, launch, tiles):
    """Times relative to the kernel compiled without tracing: compiled with it but not enabled, and enabled. The ways
    alternate after each launch."""
    tracing = rank.tracing
    tracing.enable(max_events=tiles)
    ways = ["off", "off again", "not enabled", "enabled"]
    taken = {way: [] for way in ways}
    rng = np.random.default_rng(1)
    for turn in range(ITERATIONS + 10):
        for way in rng.permutation(ways):
            if way == "enabled":
                if not tracing.enabled:
                    tracing.enabled = True
                    tracing._tell()
                tracing.reset()
            elif tracing.enabled:
                tracing.disable()
            pair = microseconds(lambda way=way: launch(way in ("not enabled", "enabled")))
            torch.cuda.synchronize()
            if turn >= 10:
                taken[str(way)].append(1000 * pair[0].elapsed_time(pair[1]))
    tracing.enabled = True
    tracing._tell()
    tracing.reset()
    launch(True)
    events = tracing.events()
    check(f"{name}: an event a tile", (events.kept, events.dropped) == (tiles, 0), f"{events.kept} of {tiles}")
    base = statistics.median(taken["off"])
    row = {"kernel": name, "iterations": ITERATIONS, "tiles": tiles, "off_us": round(base, 2)}
    for way in ways[1:]:
        ratios = np.array(taken[way]) / np.array(taken["off"]) - 1
        boot = np.median(rng.choice(ratios, (2000, ratios.size)), axis=1)
        low, middle, high = (
            round(100 * float(each), 2) for each in (np.quantile(boot, 0.025), np.median(ratios), np.quantile(boot, 0.975))
        )
        row[way.replace(" ", "_") + "_percent"] = {"median": middle, "from": low, "to": high}
    check(f"{name}: enabled costs at most 5 %", row["enabled_percent"]["median"] <= 5, json.dumps(row))
    return row


def costs():
    (rank,) = iris.iris_in_process(1, 1 << 20)
    context = rank.get_device_context()
    size = 4096
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in "ab")
    c = torch.empty(size, size, device="cuda", dtype=torch.float16)
    tile = (128, 128, 64)
    tiles = (size // tile[0]) * (size // tile[1])
    rows = []
    for blocks in (True, False):

        def launch_gemm(tracing, blocks=blocks):
            gemm[(tiles,)](context, a, b, c, size, size, size, *tile, 8, tracing, blocks, num_warps=8, num_stages=3)

        rows.append(overhead(f"GEMM 4096, {'pointers and mask' if blocks else 'one pointer'}", rank, launch_gemm, tiles))
    wrong = (c.float() - (a.float() @ b.float())).abs().max().item()
    check("GEMM: data", wrong < 1, f"{wrong:.2e}")
    n = 1 << 26
    x, y = (torch.randn(n, device="cuda") for _ in "xy")
    out = torch.empty_like(x)
    for block in (4096, 8192, 16384):

        def launch_add(tracing, block=block):
            add[(n // block,)](context, x, y, out, n, block, tracing, num_warps=8)

        rows.append(overhead(f"add 2^26, tiles of {block}", rank, launch_add, n // block))

    def launch_persistent(tracing):
        add_persistent[(1024,)](context, x, y, out, n, 8192, 8, tracing, num_warps=8)

    rows.append(overhead("add 2^26, 8 tiles of 8192 a program, claimed", rank, launch_persistent, n // 8192))
    check("add: data", bool((out == x + y).all()))
    return rows


@triton.jit
def flood(context, out, EVENTS: tl.constexpr, SLOTS: tl.constexpr):
    ctx = DeviceContext.initialize(context, 0, 1, tracing=True, slots=SLOTS)
    for event in range(EVENTS):
        handle = ctx.tracing.record_event_start(1500, 0, out, event, 0, slot=event)
        ctx.tracing.record_event_end(handle)


def rates():
    (rank,) = iris.iris_in_process(1, 1 << 20)
    programs, events = 4224, 250
    rows = []
    for name, slots in (("an atomic an event", 0), ("slots claimed", events)):
        rank.tracing.enable(max_events=programs * events)
        taken = []
        for _ in range(20):
            rank.tracing.reset()
            begin, end = microseconds(
                lambda slots=slots: flood[(programs,)](rank.get_device_context(), rank.heap, events, slots, num_warps=1)
            )
            torch.cuda.synchronize()
            taken.append(begin.elapsed_time(end) / 1000)
        begin = time.perf_counter()
        kept = rank.tracing.events()
        seconds = time.perf_counter() - begin
        check(f"events a second, {name}: all kept", (kept.kept, kept.dropped) == (programs * events, 0))
        rows.append(
            {
                "way": name,
                "events_a_second": round(programs * events / statistics.median(taken)),
                "copied_in_seconds": round(seconds, 3),
                "events": kept.kept,
            }
        )
        print(" ", json.dumps(rows[-1]), flush=True)
    return rows


# Times


@triton.jit
def spin(context, cycles, lengths, out, TRACING: tl.constexpr):
    """An event of a given number of SM cycles, between two readings of that clock."""
    ctx = DeviceContext.initialize(context, 0, 1, tracing=TRACING)
    pid = tl.program_id(0)
    length = tl.load(lengths + pid)
    handle = ctx.tracing.record_event_start(2048, 0, out, pid, 0)
    begin = tl.inline_asm_elementwise("mov.u64 $0, %clock64;", "=l", [], dtype=tl.int64, is_pure=False, pack=1)
    now = begin
    while now - begin < length:
        now = tl.inline_asm_elementwise("mov.u64 $0, %clock64;", "=l", [], dtype=tl.int64, is_pure=False, pack=1)
    end = tl.inline_asm_elementwise("mov.u64 $0, %clock64;", "=l", [], dtype=tl.int64, is_pure=False, pack=1)
    ctx.tracing.record_event_end(handle)
    tl.store(cycles + pid, end - begin)


def cupti(launch):
    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as profiled:
        launch()
        torch.cuda.synchronize()
    (kernel,) = (event for event in profiled.events() if event.device_type.name == "CUDA" and "Mem" not in event.name)
    return kernel.time_range.elapsed_us() * 1000


def durations():
    (rank,) = iris.iris_in_process(1, 1 << 20)
    programs = 132
    rank.tracing.enable(max_events=programs)
    cycles = torch.zeros(programs, dtype=torch.int64, device="cuda")
    rows, outer = [], {}
    for wanted in (1_000_000, 200_000, 50_000, 20_000, 10_000, 5_000, 2_000, 1_000):
        lengths = torch.full((programs,), wanted, dtype=torch.int64, device="cuda")
        ratios, spans, coarse = [], [], []
        for turn in range(101):
            rank.tracing.reset()
            spin[(programs,)](rank.get_device_context(), cycles, lengths, rank.heap, True, num_warps=1)
            events = rank.tracing.events()
            pid, took = events.columns["pid"], events.columns["duration_cycles"] - events.columns["timestamp"]
            if turn > 0:
                ratios.append(cycles.cpu().numpy()[pid] / took)
                spans.append(took)
                raw = (rank.tracing.trace_buffers[each].cpu().numpy() for each in ("duration_cycles", "timestamp"))
                coarse.append(cycles.cpu().numpy()[pid] / np.subtract(*raw))
        rates_seen = np.concatenate(ratios)
        outer[wanted] = (rates_seen, np.concatenate(spans), np.concatenate(coarse))
    # Rate of the SM's clock, from the longest spans.
    rate = float(np.median(outer[1_000_000][0]))
    for seen, spans, coarse in outer.values():
        errors, by_globaltimer = 100 * (rate / seen - 1), 100 * (rate / coarse - 1)
        rows.append(
            {
                "event_ns": round(float(np.median(spans))),
                "against_clock64_percent": round(float(np.median(errors)), 3),
                "p95_percent": round(float(np.quantile(np.abs(errors), 0.95)), 3),
                "p95_percent_by_globaltimer_alone": round(float(np.quantile(np.abs(by_globaltimer), 0.95)), 3),
            }
        )
        print(" ", json.dumps(rows[-1]), flush=True)
    check(
        "durations: 95 of 100 within 2 % of an outer clock64, from 2 us on",
        all(row["p95_percent"] <= 2 for row in rows if row["event_ns"] >= 2000),
        f"SM clock {rate:.4f} GHz",
    )
    spread = []
    for wanted in (2_000_000, 1_000_000, 400_000):
        lengths = torch.full((programs,), wanted, dtype=torch.int64, device="cuda")
        for turn in range(6):
            rank.tracing.reset()
            kernel = cupti(
                lambda lengths=lengths: spin[(programs,)](rank.get_device_context(), cycles, lengths, rank.heap, True, num_warps=1)
            )
            events = rank.tracing.events()
            span = int(events.columns["duration_cycles"].max() - events.columns["timestamp"].min())
            if turn > 0:
                spread.append(
                    {"kernel_ns_cupti": round(kernel), "first_start_to_last_end_ns": span, "percent": round(100 * (span / kernel - 1), 3)}
                )
    for row in spread[::5]:
        print(" ", json.dumps(row), flush=True)
    worst = max(abs(row["percent"]) for row in spread)
    check("durations: first start to last end within 2 % of CUPTI's kernel", worst <= 2, f"worst {worst} %")
    return {"sm_ghz": rate, "clock64": rows, "cupti": spread}


def main():
    properties = torch.cuda.get_device_properties(0)
    (rank,) = iris.iris_in_process(1, 1 << 20)
    clock = rank.tracing.clock
    result = {
        "device": properties.name,
        "torch": torch.__version__,
        "triton": triton.__version__,
        "clock": vars(clock) if hasattr(clock, "__dict__") else str(clock),
    }
    print(json.dumps(result), flush=True)
    samples = rank.tracing.sample_clock(20)
    print("  host reads the device's clock within", samples[0][2] - samples[0][0], "ns")
    parts = {
        "fields": lambda: fields(properties.multi_processor_count),
        "graphs": graphs,
        "overflow": overflow,
        "durations": durations,
        "rates": rates,
        "costs": costs,
    }
    for name in sys.argv[2:] or parts:
        begin = time.perf_counter()
        print(name, flush=True)
        try:
            result[name] = parts[name]()
        except Exception as error:  # the other parts are still useful
            import traceback

            traceback.print_exc()
            failures.append(f"{name}: {error!r}")
        print(f"  {time.perf_counter() - begin:.1f} s", flush=True)
    result["failures"] = failures
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w") as file:
            json.dump(result, file, indent=1)
    for row in result.get("costs") or []:
        print(
            f"{row['kernel']:48} {row['off_us']:9} us  "
            + "  ".join(
                f"{way} {row[way + '_percent']['median']:6} % ({row[way + '_percent']['from']} to {row[way + '_percent']['to']})"
                for way in ("off_again", "not_enabled", "enabled")
            )
        )
    print("failures:", failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
