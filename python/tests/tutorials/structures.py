"""What kernels are made of besides arithmetic: pointers in memory, block pointers, descriptors, tuples, spilled registers, spin-waits."""

import numpy as np
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

import kernloop.triton as kt

TARGET = triton.runtime.driver.active.get_current_target()


@triton.jit
def grouped_matmul(lefts, rights, results, sizes, groups, PROGRAMS: tl.constexpr, BLOCK: tl.constexpr):
    tile = tl.program_id(0)
    before = 0
    for g in range(groups):
        m, n, k = tl.load(sizes + 3 * g), tl.load(sizes + 3 * g + 1), tl.load(sizes + 3 * g + 2)
        across = tl.cdiv(n, BLOCK)
        tiles = tl.cdiv(m, BLOCK) * across
        while tile >= before and tile < before + tiles:
            a = tl.load(lefts + g).to(tl.pointer_type(tl.float16))
            b = tl.load(rights + g).to(tl.pointer_type(tl.float16))
            c = tl.load(results + g).to(tl.pointer_type(tl.float32))
            rows = (tile - before) // across * BLOCK + tl.arange(0, BLOCK)
            columns = (tile - before) % across * BLOCK + tl.arange(0, BLOCK)
            total = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
            for begin in range(0, k, BLOCK):
                inner = begin + tl.arange(0, BLOCK)
                total = tl.dot(tl.load(a + rows[:, None] * k + inner[None, :]), tl.load(b + inner[:, None] * n + columns[None, :]), total)
            tl.store(c + rows[:, None] * n + columns[None, :], total)
            tile += PROGRAMS
        before += tiles


def check_pointers_in_memory(rng):
    sizes = [(64, 32, 32), (32, 64, 96), (32, 32, 32)]
    lefts = [kt.array(rng.standard_normal((m, k)).astype(np.float16)) for m, _, k in sizes]
    rights = [kt.array(rng.standard_normal((k, n)).astype(np.float16)) for _, n, k in sizes]
    results = [kt.zeros((m, n)) for m, n, _ in sizes]
    addresses = [kt.array(np.array([x.data_ptr() for x in arrays], np.int64)) for arrays in (lefts, rights, results)]
    grouped_matmul[(3,)](*addresses, kt.array(np.array(sizes, np.int32)), len(sizes), PROGRAMS=3, BLOCK=32)
    for a, b, c in zip(lefts, rights, results, strict=True):
        np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-5, atol=1e-4)


@triton.jit
def transpose_blocks(x, out, m, n, BLOCK: tl.constexpr):
    source = tl.make_block_ptr(x, (m, n), (n, 1), (tl.program_id(0) * BLOCK, 0), (BLOCK, BLOCK), (1, 0))
    target = tl.make_block_ptr(out, (n, m), (m, 1), (0, tl.program_id(0) * BLOCK), (BLOCK, BLOCK), (1, 0))
    for _ in range(0, tl.cdiv(n, BLOCK)):
        tl.store(target, tl.trans(tl.load(source, boundary_check=(0, 1), padding_option="zero")), boundary_check=(0, 1))
        source = tl.advance(source, (0, BLOCK))
        target = tl.advance(target, (BLOCK, 0))


@triton.jit
def double_tiles(x, out, m, n, BLOCK: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [m, n], [n, 1], [BLOCK, BLOCK])
    target = tl.make_tensor_descriptor(out, [m, n], [n, 1], [BLOCK, BLOCK])
    at = [tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK]
    target.store(at, source.load(at) * 2)


def check_blocks(rng):
    x, out = kt.array(rng.standard_normal((50, 72), np.float32)), kt.zeros((72, 50))
    transpose_blocks[(2,)](x, out, 50, 72, BLOCK=32)
    np.testing.assert_array_equal(out, x.T)
    twice = kt.zeros((50, 72))
    double_tiles[(2, 3)](x, twice, 50, 72, BLOCK=32)
    np.testing.assert_array_equal(twice, 2 * x)


@triton.jit
def merged(mean_a, squares_a, count_a, mean_b, squares_b, count_b):
    delta = mean_b - mean_a
    count = count_a + count_b
    share = tl.where(count == 0, 0.0, count_b / count)
    return mean_a + delta * share, squares_a + squares_b + delta * delta * count_a * share, count


@triton.jit
def moments(x, means, variances, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows = tl.arange(0, ROWS)
    values = tl.load(x + rows[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :])
    mean, squares, count = tl.reduce((values, tl.zeros_like(values), tl.full((ROWS, COLUMNS), 1, tl.float32)), 1, merged)
    tl.store(means + rows, mean)
    tl.store(variances + rows, squares / count)


def check_tuples(rng):
    x, means, variances = kt.array(rng.standard_normal((16, 128), np.float32)), kt.empty(16), kt.empty(16)
    moments[(1,)](x, means, variances, 16, 128)
    np.testing.assert_allclose(means, x.mean(axis=1, dtype=np.float64), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(variances, x.var(axis=1, dtype=np.float64), rtol=1e-5)


@triton.jit
def normalise(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    values = tl.load(x + at)
    tl.store(out + at, values - tl.sum(values) // N)


def check_spills(rng):
    n = 8192
    x, out = kt.array(rng.integers(-(2**20), 2**20, n, dtype=np.int32)), kt.empty(n, np.int32)
    # One wave has to keep all of it, with so few registers that it cannot.
    kernel = normalise[(1,)](x, out, n, num_warps=1, waves_per_eu=16 if TARGET.arch == "gfx1030" else 8)
    assert kernel.n_spills > 0
    np.testing.assert_array_equal(out, x - int(x.sum() / n))


@triton.jit
def ring(arrived, mine, neighbours, PROGRAMS: tl.constexpr, N: tl.constexpr):
    program = tl.program_id(0)
    at = tl.arange(0, N)
    tl.store(mine + program * N + at, program * N + at)
    tl.debug_barrier()
    tl.atomic_add(arrived, 1, sem="release")
    while tl.atomic_add(arrived, 0, sem="acquire") < PROGRAMS:
        pass
    tl.store(neighbours + program * N + at, tl.load(mine + (program + 1) % PROGRAMS * N + at, volatile=True))


def check_programs_that_wait_for_each_other(rng):
    programs, n = 150, 64
    arrived, mine, neighbours = kt.zeros(1, np.int32), kt.zeros((programs, n), np.int32), kt.zeros((programs, n), np.int32)
    ring[(programs,)](arrived, mine, neighbours, PROGRAMS=programs, N=n)
    np.testing.assert_array_equal(neighbours, np.roll(np.arange(programs * n).reshape(programs, n), -1, axis=0))


@gluon.jit
def gluon_add(x, y, out, n, BLOCK: gl.constexpr, LAYOUT: gl.constexpr):
    at = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=LAYOUT)
    inside = at < n
    gl.store(out + at, gl.load(x + at, mask=inside) + gl.load(y + at, mask=inside), mask=inside)


def check_gluon(rng):
    x, y = (kt.array(rng.standard_normal(1000, np.float32)) for _ in "xy")
    out = kt.zeros(1000)
    gluon_add[(4,)](x, y, out, 1000, 256, gl.BlockedLayout([1], [TARGET.warp_size], [4], [0]))
    np.testing.assert_array_equal(out, x + y)
