"""Softmax of the rows of a matrix, without PyTorch: NumPy arrays in the memory of the software GPU.

    python3 -m kernloop.triton softmax.py
"""

import numpy as np
import triton
import triton.language as tl
from numerics import exponentials

import kernloop.triton as kt


@triton.jit
def softmax(out, x, columns, BLOCK: tl.constexpr):
    """A row that fits into one block."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    values = tl.load(x + row * columns + at, mask=inside, other=-float("inf"))
    powers = exponentials(values, tl.max(values, axis=0))
    tl.store(out + row * columns + at, powers / tl.sum(powers, axis=0), mask=inside)


@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 256}, num_warps=2),
        triton.Config({"BLOCK": 512}, num_warps=2),
        triton.Config({"BLOCK": 1024}, num_warps=4),
    ],
    key=["columns"],
)
@triton.jit
def softmax_long(out, x, columns, BLOCK: tl.constexpr):
    """A row of any length: largest value and sum in one pass, the quotients in a second one."""
    row = tl.program_id(0)
    x += row * columns
    out += row * columns
    largest = -float("inf")
    total = 0.0
    for begin in range(0, columns, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        values = tl.load(x + at, mask=at < columns, other=-float("inf"))
        higher = tl.maximum(largest, tl.max(values, axis=0))
        total = total * exponentials(largest, higher) + tl.sum(exponentials(values, higher), axis=0)
        largest = higher
    for begin in range(0, columns, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        inside = at < columns
        values = tl.load(x + at, mask=inside, other=-float("inf"))
        tl.store(out + at, exponentials(values, largest) / total, mask=inside)


def expected(x):
    powers = np.exp(x - x.max(axis=1, keepdims=True), dtype=np.float64)
    return powers / powers.sum(axis=1, keepdims=True)


def report(name, out, x):
    error = np.abs(out - expected(np.asarray(x))).max()
    print(f"{name}: {x.shape[0]} rows of {x.shape[1]}, largest error {error:.1e}")
    if not error < 1e-6:
        raise SystemExit(f"{name} is wrong")


def main():
    rng = np.random.default_rng(0)
    x = kt.array(rng.standard_normal((64, 1000), np.float32))
    out = kt.empty_like(x)
    softmax[(x.shape[0],)](out, x, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]))
    report("softmax", out, x)

    x = kt.array(rng.standard_normal((16, 5000), np.float32))
    out = kt.empty_like(x)
    softmax_long[(x.shape[0],)](out, x, x.shape[1])
    report("softmax_long", out, x)


if __name__ == "__main__":
    main()
