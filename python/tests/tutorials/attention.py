import numpy as np
import triton
import triton.language as tl

import kernloop.triton as kt


@triton.jit
def attention_step(
    acc, sums, maxima, q, k_at, v_at, rows, columns, first, last, row, scale, length, CAUSAL: tl.constexpr, BN: tl.constexpr
):
    for start in range(first, last, BN):
        start = tl.multiple_of(start, BN)
        at = start + columns
        k = tl.load(k_at + at[None, :] * row, mask=at[None, :] < length, other=0.0)
        scores = tl.dot(q, k) * scale
        allowed = at[None, :] < length
        if CAUSAL:
            allowed = allowed & (rows[:, None] >= at[None, :])
        scores = tl.where(allowed, scores, -1.0e6)
        highest = tl.maximum(maxima, tl.max(scores, 1))
        powers = tl.math.exp2(scores - highest[:, None])
        correction = tl.math.exp2(maxima - highest)
        sums = sums * correction + tl.sum(powers, 1)
        v = tl.load(v_at + at[:, None] * row, mask=at[:, None] < length, other=0.0)
        acc = tl.dot(powers.to(v.dtype), v, acc * correction[:, None])
        maxima = highest
    return acc, sums, maxima


@triton.jit
def attention(
    q, k, v, out, logs, scale, batch, head, row, heads, length, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr
):
    block, pair = tl.program_id(0), tl.program_id(1)
    base = (pair // heads).to(tl.int64) * batch + (pair % heads).to(tl.int64) * head
    rows, columns, inner = block * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    queries = tl.load(q + base + rows[:, None] * row + inner[None, :], mask=rows[:, None] < length, other=0.0)
    maxima = tl.zeros([BM], dtype=tl.float32) - float("inf")
    sums = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, D], dtype=tl.float32)
    k_at = k + base + inner[:, None]
    v_at = v + base + inner[None, :]
    in_base_2 = scale * 1.44269504
    whole = tl.cdiv(length, BN) * BN
    diagonal = block * BM
    if CAUSAL:
        acc, sums, maxima = attention_step(
            acc, sums, maxima, queries, k_at, v_at, rows, columns, 0, diagonal, row, in_base_2, length, False, BN
        )
        last = min(whole, (block + 1) * BM)
        acc, sums, maxima = attention_step(
            acc, sums, maxima, queries, k_at, v_at, rows, columns, diagonal, last, row, in_base_2, length, True, BN
        )
    else:
        acc, sums, maxima = attention_step(
            acc, sums, maxima, queries, k_at, v_at, rows, columns, 0, whole, row, in_base_2, length, False, BN
        )
    tl.store(logs + pair * length + rows, maxima + tl.math.log2(sums), mask=rows < length)
    acc = acc / sums[:, None]
    tl.store(out + base + rows[:, None] * row + inner[None, :], acc.to(out.dtype.element_ty), mask=rows[:, None] < length)


def reference(q, k, v, scale, causal):
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    scores = np.einsum("bhid,bhjd->bhij", q, k) * scale
    if causal:
        length = scores.shape[-1]
        scores = np.where(np.tril(np.ones((length, length), bool)), scores, -np.inf)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    sums = powers.sum(-1, keepdims=True)
    logs = (scores.max(-1) + np.log(sums[..., 0])) * np.log2(np.e)
    return (powers / sums) @ v, logs


def run(rng, length, causal):
    batches, heads, depth = 2, 2, 32
    scale = 0.5
    q, k, v = (kt.array(rng.standard_normal((batches, heads, length, depth)).astype(np.float16)) for _ in "qkv")
    out, logs = kt.empty_like(q), kt.empty((batches, heads, length))
    batch, head, row, _ = (stride // 2 for stride in q.strides)
    grid = (triton.cdiv(length, 32), batches * heads)
    attention[grid](q, k, v, out, logs, scale, batch, head, row, heads, length, CAUSAL=causal, BM=32, BN=32, D=depth, num_warps=2)
    expected, expected_logs = reference(q, k, v, scale, causal)
    np.testing.assert_allclose(out, expected, rtol=1e-2, atol=4e-3)
    np.testing.assert_allclose(logs, expected_logs, rtol=1e-4, atol=1e-3)


def check(rng):
    run(rng, 96, causal=True)
    run(rng, 75, causal=False)
