"""Products of matrices by Triton, drawn from a seed, each compared with NumPy: types, sizes, tiles, waves, stages, layouts.

. python/.venv/bin/activate; KERNLOOP_SOFTGPU=gfx942 pytest -q bench/triton_products.py

KERNLOOP_PRODUCTS_SEED (default 1) draws others, KERNLOOP_PRODUCTS (default 100) says how many. Factors are small integers,
so that each product must equal NumPy's. Mistakes of Triton 3.6 are left out (docs/contributing/triton.md).
"""

import os
import random

import ml_dtypes
import numpy as np
import pytest

import kernloop.triton as kt

kt.activate()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402

TARGET = triton.runtime.driver.active.get_current_target().arch
TYPES = [np.float16, ml_dtypes.bfloat16, np.float32, np.int8, ml_dtypes.float8_e5m2]
if TARGET == "gfx942":
    TYPES += [ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz, ml_dtypes.float8_e4m3fn]


@triton.jit
def product(a, b, c, M, N, K, a_row, a_depth, b_depth, b_column, TILE_M: tl.constexpr, TILE_N: tl.constexpr, DEPTH: tl.constexpr):
    row = tl.program_id(0) * TILE_M + tl.arange(0, TILE_M)
    column = tl.program_id(1) * TILE_N + tl.arange(0, TILE_N)
    depth = tl.arange(0, DEPTH)
    a_at = a + (row % M)[:, None] * a_row + depth[None, :] * a_depth
    b_at = b + depth[:, None] * b_depth + (column % N)[None, :] * b_column
    total = tl.zeros((TILE_M, TILE_N), c.dtype.element_ty)
    for begin in range(0, K, DEPTH):
        left = tl.load(a_at, mask=depth[None, :] < K - begin, other=0.0)
        right = tl.load(b_at, mask=depth[:, None] < K - begin, other=0.0)
        total = tl.dot(left, right, total, out_dtype=c.dtype.element_ty)
        a_at += DEPTH * a_depth
        b_at += DEPTH * b_depth
    tl.store(c + row[:, None] * N + column[None, :], total, mask=(row[:, None] < M) & (column[None, :] < N))


def drawn(seed: int) -> dict:
    draw = random.Random(f"{os.environ.get('KERNLOOP_PRODUCTS_SEED', '1')} {seed}")
    options = {"num_warps": draw.choice([1, 2, 4, 8]), "num_stages": draw.choice([1, 2, 3])}
    tiles = {"TILE_M": draw.choice([16, 32, 64, 128]), "TILE_N": draw.choice([16, 32, 64, 128]), "DEPTH": draw.choice([16, 32, 64])}
    dtype = np.dtype(draw.choice(TYPES))
    if TARGET.startswith("gfx9"):
        options |= {"matrix_instr_nonkdim": draw.choice([0, 16, 32]), "kpack": draw.choice([1, 2]) if tiles["DEPTH"] == 64 else 1}
    if TARGET == "gfx90a" and dtype.itemsize == 1 and tiles["DEPTH"] == 16:
        options["num_warps"] = draw.choice([2, 4, 8])
    sizes = {"M": draw.choice([16, 33, 49, 128, 200]), "N": draw.choice([16, 64, 96, 137, 256]), "K": draw.choice([16, 32, 47, 80, 128, 200])}
    return {"dtype": dtype, **sizes, "turned": (draw.random() < 0.4, draw.random() < 0.4), "options": {**tiles, **options}}


@pytest.mark.parametrize("case", [drawn(seed) for seed in range(int(os.environ.get("KERNLOOP_PRODUCTS", "100")))], ids=str)
def test_product(case):
    rng = np.random.default_rng(5)
    m, n, k = case["M"], case["N"], case["K"]
    left, right = (rng.integers(-4, 5, shape).astype(case["dtype"]) for shape in ((m, k), (k, n)))
    arrays, strides = [], []
    for values, turned in zip((left, right), case["turned"], strict=True):
        arrays.append(kt.array(np.ascontiguousarray(values.T) if turned else values))
        strides += [1, values.shape[0]] if turned else [values.shape[1], 1]
    out = kt.zeros((m, n), np.int32 if case["dtype"] == np.int8 else np.float32)
    options = case["options"]
    grid = (triton.cdiv(m, options["TILE_M"]), triton.cdiv(n, options["TILE_N"]))
    try:
        product[grid](*arrays, out, m, n, k, *strides, **options)
    except (triton.runtime.errors.OutOfResources, RuntimeError) as refusal:
        if "out of resource" not in str(refusal) and "PassManager" not in str(refusal):
            raise
        pytest.skip(f"Triton refuses it: {refusal}")
    np.testing.assert_array_equal(np.asarray(out), left.astype(np.float64) @ right.astype(np.float64))
