import numpy as np
import triton
import triton.language as tl

import kernloop.triton as kt


@triton.jit
def layer_norm(x, y, weight, bias, means, rstds, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * stride
    y += row * stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for offset in range(0, n, BLOCK):
        at = offset + tl.arange(0, BLOCK)
        total += tl.load(x + at, mask=at < n, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / n
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for offset in range(0, n, BLOCK):
        at = offset + tl.arange(0, BLOCK)
        centred = tl.load(x + at, mask=at < n, other=0.0).to(tl.float32)
        centred = tl.where(at < n, centred - mean, 0.0)
        squares += centred * centred
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / n + eps)
    tl.store(means + row, mean)
    tl.store(rstds + row, rstd)
    for offset in range(0, n, BLOCK):
        at = offset + tl.arange(0, BLOCK)
        inside = at < n
        scale = tl.load(weight + at, mask=inside)
        shift = tl.load(bias + at, mask=inside)
        value = tl.load(x + at, mask=inside, other=0.0).to(tl.float32)
        tl.store(y + at, (value - mean) * rstd * scale + shift, mask=inside)


@triton.jit
def layer_norm_backward(dx, dy, dweight, dbias, x, weight, means, rstds, locks, stride, n, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < n
    lock = locks + row % GROUPS
    count = lock + GROUPS
    dweight += (row % GROUPS) * n + at
    dbias += (row % GROUPS) * n + at
    value = tl.load(x + row * stride + at, mask=inside, other=0).to(tl.float32)
    up = tl.load(dy + row * stride + at, mask=inside, other=0).to(tl.float32)
    scale = tl.load(weight + at, mask=inside).to(tl.float32)
    rstd = tl.load(rstds + row)
    unit = tl.where(inside, (value - tl.load(means + row)) * rstd, 0.0)
    scaled = tl.where(inside, scale * up, 0.0)
    c1 = tl.sum(unit * scaled, axis=0) / n
    c2 = tl.sum(scaled, axis=0) / n
    tl.store(dx + row * stride + at, (scaled - (unit * c1 + c2)) * rstd, mask=inside)

    # Rows of a group add to the same sums, under a lock.
    part_weight, part_bias = up * unit, up
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(count) == 0:
        tl.atomic_xchg(count, 1)
    else:
        part_weight += tl.load(dweight, mask=inside)
        part_bias += tl.load(dbias, mask=inside)
    tl.store(dweight, part_weight, mask=inside)
    tl.store(dbias, part_bias, mask=inside)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def layer_norm_sums(dweight, dbias, final_weight, final_bias, m, n, BM: tl.constexpr, BN: tl.constexpr):
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    weights = tl.zeros((BM, BN), dtype=tl.float32)
    biases = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, m, BM):
        rows = i + tl.arange(0, BM)
        inside = (rows[:, None] < m) & (columns[None, :] < n)
        at = rows[:, None] * n + columns[None, :]
        weights += tl.load(dweight + at, mask=inside, other=0.0)
        biases += tl.load(dbias + at, mask=inside, other=0.0)
    tl.store(final_weight + columns, tl.sum(weights, axis=0), mask=columns < n)
    tl.store(final_bias + columns, tl.sum(biases, axis=0), mask=columns < n)


def check(rng):
    rows, n, eps, groups = 19, 301, 1e-5, 4
    x, dy = (kt.array(rng.standard_normal((rows, n)).astype(np.float16)) for _ in "xy")
    weight, bias = (kt.array(rng.standard_normal(n, np.float32)) for _ in "wb")
    y, dx = kt.empty_like(x), kt.empty_like(x)
    means, rstds = kt.empty(rows), kt.empty(rows)
    layer_norm[(rows,)](x, y, weight, bias, means, rstds, n, n, eps, BLOCK=128)

    wide, up = x.astype(np.float64), dy.astype(np.float64)
    mean = wide.mean(axis=1, keepdims=True)
    rstd = 1 / np.sqrt(wide.var(axis=1, keepdims=True) + eps)
    unit = (wide - mean) * rstd
    np.testing.assert_allclose(means, mean[:, 0], atol=1e-6)
    np.testing.assert_allclose(rstds, rstd[:, 0], rtol=1e-5)
    np.testing.assert_allclose(y, unit * weight + bias, rtol=2e-3, atol=2e-3)

    dweight, dbias = kt.empty((groups, n)), kt.empty((groups, n))
    locks = kt.zeros(2 * groups, np.int32)
    layer_norm_backward[(rows,)](dx, dy, dweight, dbias, x, weight, means, rstds, locks, n, n, GROUPS=groups, BLOCK=512, num_warps=4)
    final_weight, final_bias = kt.empty(n), kt.empty(n)
    layer_norm_sums[(triton.cdiv(n, 64),)](dweight, dbias, final_weight, final_bias, groups, n, BM=4, BN=64)
    scaled = up * weight
    expected = rstd * (scaled - unit * (unit * scaled).mean(axis=1, keepdims=True) - scaled.mean(axis=1, keepdims=True))
    np.testing.assert_allclose(dx, expected, rtol=4e-3, atol=4e-3)
    np.testing.assert_allclose(final_weight, (up * unit).sum(axis=0), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(final_bias, up.sum(axis=0), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(locks, [0] * groups + [1] * groups)
