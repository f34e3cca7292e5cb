"""Softmax of rows on one device, with events of its own: 1024 to 2047 are users' data movement, 2048 to 3071 users' computation.

python3 -m kernloop.triton softmax.py
python3 softmax.py
"""

import sys

import numpy as np
import triton
import triton.language as tl
from ranks import export, fetched, placed, report

import kernloop.tracing as iris
from kernloop.tracing import DeviceContext

READ_ROW = tl.constexpr(1025)
WRITE_ROW = tl.constexpr(1026)
NORMALISE = tl.constexpr(2050)
NAMES = {1025: "read row", 1026: "write row", 2050: "normalise"}


@triton.jit
def softmax(context_tensor, out, x, rows, columns, BLOCK: tl.constexpr, ROWS: tl.constexpr, TRACING: tl.constexpr = False):
    # Three events a row: the slots of all are claimed here, with one atomic.
    ctx = DeviceContext.initialize(context_tensor, 0, 1, tracing=TRACING, slots=3 * ROWS)
    at = tl.arange(0, BLOCK)
    mask = at < columns
    for index in range(ROWS):
        row = tl.program_id(0) * ROWS + index
        if row < rows:
            source = x + row * columns + at
            reading = ctx.tracing.record_event_start(READ_ROW, 0, source, row, 0, mask, slot=3 * index)
            values = tl.load(source, mask=mask, other=-float("inf"))
            ctx.tracing.record_event_end(reading)
            computing = ctx.tracing.record_event_start(NORMALISE, 0, source, row, 0, slot=3 * index + 1)
            powers = tl.exp(values - tl.max(values, axis=0))
            quotients = powers / tl.sum(powers, axis=0)
            ctx.tracing.record_event_end(computing)
            target = out + row * columns + at
            writing = ctx.tracing.record_event_start(WRITE_ROW, 0, target, row, 0, mask, slot=3 * index + 2)
            tl.store(target, quotients, mask=mask)
            ctx.tracing.record_event_end(writing)


def launch(rank, out, x, tracing, rows_a_program=2):
    rows, columns = x.shape
    grid = (triton.cdiv(rows, rows_a_program),)
    with rank.memory.current():
        softmax[grid](rank.get_device_context(), out, x, rows, columns, triton.next_power_of_2(columns), rows_a_program, TRACING=tracing)


def main(rows=63, columns=1000, filename=None):
    values = np.random.default_rng(16).standard_normal((rows, columns)).astype(np.float32)
    rank = iris.iris(16 << 20)
    x, out = placed(rank, values), placed(rank, np.zeros_like(values))
    rank.tracing.names.update(NAMES)
    rank.tracing.enable(max_events=10_000)
    launch(rank, out, x, tracing=True)
    rank.barrier()
    powers = np.exp(values - values.max(axis=1, keepdims=True), dtype=np.float64)
    report("softmax", rank, np.abs(fetched(out) - powers / powers.sum(axis=1, keepdims=True)).max())
    export([rank], filename)


if __name__ == "__main__":
    main(filename=sys.argv[1] if len(sys.argv) > 1 else None)
