"""Fused attention, forward: the scores of a block of queries are never written to memory (FlashAttention's recurrence)."""

import torch
import triton
import triton.language as tl
from numerics import exponentials


@triton.jit
def attention(
    out, queries, keys, values, scale, length, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, WIDTH: tl.constexpr, CAUSAL: tl.constexpr
):
    head = tl.program_id(1) * length * WIDTH
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.arange(0, BLOCK_N)
    inner = tl.arange(0, WIDTH)
    at = head + rows[:, None] * WIDTH + inner[None, :]
    q = tl.load(queries + at, mask=rows[:, None] < length, other=0.0)
    largest = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    result = tl.zeros((BLOCK_M, WIDTH), tl.float32)
    end = tl.minimum(length, (tl.program_id(0) + 1) * BLOCK_M) if CAUSAL else length
    for begin in range(0, end, BLOCK_N):
        there = begin + columns
        k = tl.load(keys + head + there[None, :] * WIDTH + inner[:, None], mask=there[None, :] < length, other=0.0)
        scores = tl.dot(q, k) * scale
        allowed = there[None, :] < length
        if CAUSAL:
            allowed = allowed & (there[None, :] <= rows[:, None])
        scores = tl.where(allowed, scores, -float("inf"))
        higher = tl.maximum(largest, tl.max(scores, 1))
        weights = exponentials(scores, higher[:, None])
        shrink = exponentials(largest, higher)
        v = tl.load(values + head + there[:, None] * WIDTH + inner[None, :], mask=there[:, None] < length, other=0.0)
        result = tl.dot(weights.to(v.dtype), v, result * shrink[:, None])
        total = total * shrink + tl.sum(weights, 1)
        largest = higher
    tl.store(out + at, (result / total[:, None]).to(out.dtype.element_ty), mask=rows[:, None] < length)


def run():
    heads, length, width = 16, 1000, 64
    queries, keys, values = (torch.randn(heads, length, width, device="cuda", dtype=torch.float16) for _ in range(3))
    out = torch.empty_like(queries)
    grid = lambda meta: (triton.cdiv(length, meta["BLOCK_M"]), heads)
    attention[grid](
        out, queries, keys, values, width**-0.5, length, BLOCK_M=64, BLOCK_N=64, WIDTH=width, CAUSAL=True, num_warps=4, num_stages=2
    )
    exact = torch.nn.functional.scaled_dot_product_attention(queries.float(), keys.float(), values.float(), is_causal=True)
    return (out.float() - exact).abs().max(), 5e-3
