"""C = A × B, with the columns of B divided among the ranks: a tile that is done is scattered to all of them, from the kernel's end.

python3 -m kernloop.triton gemm_all_scatter.py
python3 gemm_all_scatter.py
torchrun --nproc-per-node=2 gemm_all_scatter.py
"""

import sys

import numpy as np
import triton
import triton.language as tl
from ranks import export, fetched, placed, ranks, report

from kernloop.tracing import DeviceContext, TraceEvent


@triton.jit
def gemm_all_scatter(
    context_tensor,
    a,
    b,
    c,
    M,
    N,
    K,
    columns,
    cur_rank: tl.constexpr,
    world_size: tl.constexpr,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    TRACING: tl.constexpr = False,
):
    ctx = DeviceContext.initialize(context_tensor, cur_rank, world_size, tracing=TRACING)
    pid_m = tl.program_id(0)
    pid_n = tl.program_id(1)
    rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    own = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    pointers_a = a + rows[:, None] * K + inner[None, :]
    pointers_b = b + inner[:, None] * columns + own[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    tile = ctx.tracing.record_event_start(TraceEvent().compute, cur_rank, a, pid_m, pid_n)
    for begin in range(0, K, BLOCK_K):
        left = tl.load(pointers_a, mask=(rows[:, None] < M) & (begin + inner[None, :] < K), other=0.0)
        right = tl.load(pointers_b, mask=(begin + inner[:, None] < K) & (own[None, :] < columns), other=0.0)
        total = tl.dot(left, right, total)
        pointers_a += BLOCK_K
        pointers_b += BLOCK_K * columns
    ctx.tracing.record_event_end(tile)
    mask = (rows[:, None] < M) & (own[None, :] < columns)
    target = c + rows[:, None] * N + (cur_rank * columns + own)[None, :]
    for rank in tl.static_range(world_size):
        handle = ctx.tracing.record_event_start(TraceEvent().store, rank, target, pid_m, pid_n, mask)
        ctx.store(target, total.to(tl.float16), rank, mask=mask)
        ctx.tracing.record_event_end(handle)


def launch(rank, a, b, c, tracing, block=(64, 64, 32)):
    (m, k), columns = a.shape, b.shape[1]
    grid = (triton.cdiv(m, block[0]), triton.cdiv(columns, block[1]))
    with rank.memory.current():
        gemm_all_scatter[grid](
            rank.get_device_context(), a, b, c, m, c.shape[1], k, columns, rank.cur_rank, rank.num_ranks, *block, TRACING=tracing
        )


def main(m=192, n=256, k=96, filename=None):
    rng = np.random.default_rng(16)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((m, k), (k, n)))
    every = ranks(2, 64 << 20)
    columns = n // every[0].num_ranks
    work = []
    for rank in every:
        mine = b[:, rank.cur_rank * columns :][:, :columns]
        work.append((rank, placed(rank, a), placed(rank, np.ascontiguousarray(mine)), placed(rank, np.zeros((m, n), np.float16))))
        rank.tracing.enable(max_events=100_000)
        rank.barrier()
    for each in work:
        launch(*each, tracing=True)
    for rank, *_ in work:
        rank.barrier()
    expected = a.astype(np.float64) @ b.astype(np.float64)
    for rank, _, _, c in work:
        wrong = np.abs(fetched(c) - expected).max() / np.abs(expected).max()
        report("gemm_all_scatter", rank, wrong)
    export(every, filename)


if __name__ == "__main__":
    main(filename=sys.argv[1] if len(sys.argv) > 1 else None)
