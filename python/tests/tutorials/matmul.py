import numpy as np
import triton
import triton.language as tl

import kernloop.triton as kt


@triton.autotune(
    configs=[
        triton.Config({"BM": 32, "BN": 32, "BK": 32, "GROUP": 2}, num_warps=2),
        triton.Config({"BM": 64, "BN": 32, "BK": 16, "GROUP": 4}, num_warps=4, num_stages=1),
    ],
    key=["M", "N", "K"],
)
@triton.jit
def matmul(
    a, b, c, M, N, K, a_row, a_column, b_row, b_column, c_row, c_column,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, ACTIVATION: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    across, down = tl.cdiv(N, BN), tl.cdiv(M, BM)
    group = program // (GROUP * across)
    first = group * GROUP
    height = min(down - first, GROUP)
    block_m = first + (program % (GROUP * across)) % height
    block_n = (program % (GROUP * across)) // height

    rows = (block_m * BM + tl.arange(0, BM)) % M
    columns = (block_n * BN + tl.arange(0, BN)) % N
    inner = tl.arange(0, BK)
    a_at = a + rows[:, None] * a_row + inner[None, :] * a_column
    b_at = b + inner[:, None] * b_row + columns[None, :] * b_column
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        left = tl.load(a_at, mask=inner[None, :] < K - k * BK, other=0.0)
        right = tl.load(b_at, mask=inner[:, None] < K - k * BK, other=0.0)
        total = tl.dot(left, right, total)
        a_at += BK * a_column
        b_at += BK * b_row
    if ACTIVATION == "leaky":
        total = tl.where(total >= 0, total, 0.01 * total)

    rows = block_m * BM + tl.arange(0, BM)
    columns = block_n * BN + tl.arange(0, BN)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tl.store(c + rows[:, None] * c_row + columns[None, :] * c_column, total.to(c.dtype.element_ty), mask=inside)


def multiply(a, b, dtype, activation=None):
    (m, k), (_, n) = a.shape, b.shape
    c = kt.empty((m, n), dtype)

    def elements(array):
        return [stride // array.itemsize for stride in array.strides]

    def grid(meta):
        return (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]),)

    matmul[grid](a, b, c, m, n, k, *elements(a), *elements(b), *elements(c), ACTIVATION=activation)
    return c


def check(rng):
    a = kt.array(rng.standard_normal((93, 77)).astype(np.float16))
    b = kt.array(rng.standard_normal((65, 77)).astype(np.float16)).T  # a view: strides of its own
    expected = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_allclose(multiply(a, b, np.float32), expected, rtol=1e-5, atol=1e-4)
    leaky = np.where(expected >= 0, expected, 0.01 * expected)
    np.testing.assert_allclose(multiply(a, b, np.float16, "leaky"), leaky, rtol=2e-3, atol=2e-3)
