"""Each rank puts its part into the results of all ranks, in Gluon.

python3 -m kernloop.triton all_gather.py
python3 all_gather.py
torchrun --nproc-per-node=2 all_gather.py
"""

import sys

import numpy as np
import triton
from ranks import export, fetched, placed, ranks, report
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

from kernloop.tracing import IrisDeviceCtx, TraceEvent


@gluon.jit
def all_gather(context_tensor, part, result, elements, BLOCK: gl.constexpr, LAYOUT: gl.constexpr, TRACING: gl.constexpr = False):
    ctx = IrisDeviceCtx.initialize(context_tensor, tracing=TRACING)
    pid = gl.program_id(0)
    at = pid * BLOCK + gl.arange(0, BLOCK, layout=LAYOUT)
    mask = at < elements
    target = result + ctx.cur_rank * elements + at
    for distance in range(ctx.num_ranks):
        # Not all to the same rank at once.
        rank = (ctx.cur_rank + distance) % ctx.num_ranks
        handle = ctx.tracing.record_event_start(TraceEvent().put, rank, target, pid, 0, mask)
        ctx.put(part + at, target, rank, mask=mask)
        ctx.tracing.record_event_end(handle)


def launch(rank, part, result, tracing, block=1024):
    warp = triton.runtime.driver.active.get_current_target().warp_size
    layout = gl.BlockedLayout([4], [warp], [4], [0])
    elements = part.shape[0]
    with rank.memory.current():
        all_gather[(triton.cdiv(elements, block),)](
            rank.get_device_context(), part, result, elements, block, layout, TRACING=tracing, num_warps=4
        )


def main(elements=10_000, filename=None):
    parts = np.random.default_rng(16).standard_normal((2, elements)).astype(np.float32)
    work = []
    for rank in ranks(2, 64 << 20):
        work.append((rank, placed(rank, parts[rank.cur_rank]), placed(rank, np.zeros(parts.size, np.float32))))
        rank.tracing.enable(max_events=100_000)
        rank.barrier()
    for each in work:
        launch(*each, tracing=True)
    for rank, *_ in work:
        rank.barrier()
    for rank, _, result in work:
        report("all_gather", rank, np.abs(fetched(result) - parts.reshape(-1)).max())
    export([rank for rank, *_ in work], filename)


if __name__ == "__main__":
    main(filename=sys.argv[1] if len(sys.argv) > 1 else None)
