import numpy as np
import triton
import triton.language as tl

import kernloop.triton as kt


@triton.jit
def cumulate(x, sums, maxima, backwards, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    values = tl.load(x + at)
    tl.store(sums + at, tl.cumsum(values, axis=1))
    tl.store(maxima + at, tl.associative_scan(values, 0, larger))
    tl.store(backwards + at, tl.cumsum(values, axis=1, reverse=True))


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def sort_rows(x, up, down, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    values = tl.load(x + at)
    tl.store(up + at, tl.sort(values))
    tl.store(down + at, tl.sort(values, descending=True))


@triton.jit
def histogram(x, counts, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.atomic_add(counts + tl.load(x + at, mask=inside, other=0) % BINS, 1, mask=inside)


@triton.jit
def histogram_of_block(x, counts, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.atomic_add(counts + tl.arange(0, BINS), tl.histogram(tl.load(x + at, mask=inside, other=0), BINS, mask=inside))


def check_cumulate(rng):
    for dtype in (np.int32, np.int64):
        x = kt.array(rng.integers(-1000, 1000, (8, 128), dtype=dtype))
        sums, maxima, backwards = (kt.empty_like(x) for _ in range(3))
        cumulate[(1,)](x, sums, maxima, backwards, 8, 128)
        np.testing.assert_array_equal(sums, np.cumsum(x, axis=1))
        np.testing.assert_array_equal(maxima, np.maximum.accumulate(x, axis=0))
        np.testing.assert_array_equal(backwards, np.cumsum(np.asarray(x)[:, ::-1], axis=1)[:, ::-1])


def check_sort(rng):
    for x in (rng.standard_normal((4, 256), np.float32), rng.integers(-99, 99, (4, 128), dtype=np.int32)):
        x = kt.array(x)
        up, down = kt.empty_like(x), kt.empty_like(x)
        sort_rows[(1,)](x, up, down, *x.shape)
        np.testing.assert_array_equal(up, np.sort(np.asarray(x)))
        np.testing.assert_array_equal(down, np.sort(np.asarray(x))[:, ::-1])


def check_histogram(rng):
    n, bins = 10_007, 32
    x = kt.array(rng.integers(0, bins, n, dtype=np.int32))
    for kernel in (histogram, histogram_of_block):
        counts = kt.zeros(bins, np.int32)
        kernel[(triton.cdiv(n, 1024),)](x, counts, n, BINS=bins, BLOCK=1024)
        np.testing.assert_array_equal(counts, np.bincount(x, minlength=bins))
