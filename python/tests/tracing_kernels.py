"""Kernels that record events, in the ways that the tests tell apart. test_tracing_off.py compiles them with the record calls taken out of this
text: such a call is a statement of its own."""

import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

import kernloop.tracing as iris
from kernloop.tracing import DeviceContext, IrisDeviceCtx, TraceEvent

MINE = tl.constexpr(1500)
MOVED = tl.constexpr(2047)


@triton.jit
def scatter(context, x, out, n, rank: tl.constexpr, world: tl.constexpr, BLOCK: tl.constexpr, TRACING: tl.constexpr):
    """An atomic an event."""
    ctx = DeviceContext.initialize(context, rank, world, tracing=TRACING)
    pid = tl.program_id(0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    for target in range(world):
        handle = ctx.tracing.record_event_start(TraceEvent().put, target, out + at, pid * 3, 7 - target, mask)
        ctx.put(x + at, out + at, target, mask=mask)
        ctx.tracing.record_event_end(handle)


@triton.jit
def scatter_claimed(
    context, x, out, n, rank: tl.constexpr, world: tl.constexpr, BLOCK: tl.constexpr, TRACING: tl.constexpr, SLOTS: tl.constexpr
):
    """Slots claimed at the start; more events than slots where SLOTS < world."""
    ctx = DeviceContext.initialize(context, rank, world, tracing=TRACING, slots=SLOTS)
    pid = tl.program_id(0)
    at = pid * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    for target in range(world):
        handle = ctx.tracing.record_event_start(
            event_id=TraceEvent().put, target_rank=target, address=out + at, pid_m=pid * 3, pid_n=7 - target, mask=mask, slot=target
        )
        ctx.put(x + at, out + at, target, mask=mask)
        ctx.tracing.record_event_end(handle)


@triton.jit
def tiles(context, x, out, m, n, BM: tl.constexpr, BN: tl.constexpr, TRACING: tl.constexpr):
    """Two dimensions, words of 8 bytes; one pointer, one element, no mask, one of rows; events that never end."""
    ctx = DeviceContext.initialize(context, 0, 1, tracing=TRACING)
    pid_m = tl.program_id(1)
    pid_n = tl.program_id(0)
    rows = pid_m * BM + tl.arange(0, BM)
    columns = pid_n * BN + tl.arange(0, BN)
    mask = (rows[:, None] < m) & (columns[None, :] < n)
    at = rows[:, None] * n + columns[None, :]
    first = ctx.tracing.record_event_start(MINE, 0, x + at, pid_m, pid_n, mask)
    values = tl.load(x + at, mask=mask, other=0)
    ctx.tracing.record_event_end(first)
    ctx.tracing.record_event_start(MOVED, 5, out, pid_m, pid_n)
    total = tl.sum(values)
    ctx.tracing.record_event_start(2000, 0, x + at, pid_m, pid_n, rows[:, None] < m)
    second = ctx.tracing.record_event_start(4095, -1, out + pid_m, pid_m, pid_n, pid_m < 1)
    tl.atomic_add(out + pid_m, total)
    ctx.tracing.record_event_end(second)


@triton.jit
def product(context, a, b, c, M, N, K, world: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TRACING: tl.constexpr):
    ctx = iris.DeviceContext.initialize(context, 0, world, tracing=TRACING)
    pid_m, pid_n = tl.program_id(0), tl.program_id(1)
    rows, columns, inner = pid_m * BM + tl.arange(0, BM), pid_n * BN + tl.arange(0, BN), tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for begin in range(0, K, BK):
        left = tl.load(a + rows[:, None] * K + (begin + inner)[None, :])
        right = tl.load(b + (begin + inner)[:, None] * N + columns[None, :])
        total = tl.dot(left, right, total)
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    target = c + rows[:, None] * N + columns[None, :]
    for rank in range(world):
        handle = ctx.tracing.record_event_start(TraceEvent().store, rank, target, pid_m, pid_n, mask)
        ctx.store(target, total.to(tl.float16), rank, mask=mask)
        ctx.tracing.record_event_end(handle)


@gluon.jit
def gather(Context: gl.constexpr, context, part, out, n, BLOCK: gl.constexpr, LAYOUT: gl.constexpr, TRACING: gl.constexpr):
    ctx = Context.initialize(context, tracing=TRACING)
    pid = gl.program_id(0)
    at = pid * BLOCK + gl.arange(0, BLOCK, layout=LAYOUT)
    mask = at < n
    target = out + ctx.cur_rank * n + at
    for rank in range(ctx.num_ranks):
        handle = ctx.tracing.record_event_start(event_id=TraceEvent().put, target_rank=rank, address=target, pid_m=pid, pid_n=0, mask=mask)
        ctx.put(part + at, target, to_rank=rank, mask=mask)
        ctx.tracing.record_event_end(handle)


@gluon.jit
def gather_claimed(context, part, out, n, BLOCK: gl.constexpr, LAYOUT: gl.constexpr, TRACING: gl.constexpr):
    ctx = IrisDeviceCtx.initialize(context, tracing=TRACING, slots=1)
    pid = gl.program_id(0)
    at = pid * BLOCK + gl.arange(0, BLOCK, layout=LAYOUT)
    mask = at < n
    rank = (ctx.cur_rank + 1) % ctx.num_ranks
    handle = ctx.tracing.record_event_start(TraceEvent().get, rank, part + at, pid, 1, mask, slot=0)
    ctx.get(part + at, out + at, rank, mask=mask)
    ctx.tracing.record_event_end(handle)


@triton.jit
def scatter_forgets(context, out, TRACING: tl.constexpr):
    """Claims slots, and does not say which one an event has."""
    ctx = DeviceContext.initialize(context, 0, 1, tracing=TRACING, slots=2)
    handle = ctx.tracing.record_event_start(MINE, 0, out, 0, 0)
    ctx.tracing.record_event_end(handle)
