"""A product of two half-precision matrices, its blocks chosen by Triton's autotuner."""

import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}, num_warps=4, num_stages=3),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 32}, num_warps=4, num_stages=4),
        triton.Config({"BLOCK_M": 128, "BLOCK_N": 64, "BLOCK_K": 64}, num_warps=8, num_stages=3),
    ],
    key=["m", "n", "k"],
)
@triton.jit
def matmul(
    a, b, c, m, n, k, a_stride, b_stride, c_stride, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    left = a + rows[:, None] * a_stride + inner[None, :]
    right = b + inner[:, None] * b_stride + columns[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for begin in range(0, k, BLOCK_K):
        x = tl.load(left, mask=(rows[:, None] < m) & (begin + inner[None, :] < k), other=0.0)
        y = tl.load(right, mask=(begin + inner[:, None] < k) & (columns[None, :] < n), other=0.0)
        total = tl.dot(x, y, total)
        left += BLOCK_K
        right += BLOCK_K * b_stride
    at = c + rows[:, None] * c_stride + columns[None, :]
    tl.store(at, total.to(c.dtype.element_ty), mask=(rows[:, None] < m) & (columns[None, :] < n))


def multiply(a, b, c):
    (m, k), n = a.shape, b.shape[1]
    grid = lambda meta: (triton.cdiv(m, meta["BLOCK_M"]), triton.cdiv(n, meta["BLOCK_N"]))
    matmul[grid](a, b, c, m, n, k, a.stride(0), b.stride(0), c.stride(0))


def run():
    a = torch.randn(1000, 1024, device="cuda", dtype=torch.float16)
    b = torch.randn(1024, 768, device="cuda", dtype=torch.float16)
    c = torch.zeros(1000, 768, device="cuda", dtype=torch.float16)
    multiply(a, b, c)
    return (c.float() - a.float() @ b.float()).abs().max(), 0.2
