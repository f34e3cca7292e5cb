"""bfloat16 and the 8-bit formats."""

import ml_dtypes
import numpy as np
import triton
import triton.language as tl

import kernloop.triton as kt

# For others Triton 3.6 multiplies bfloat16 by an instruction that gfx1030 lacks: LLVM then ends the process ("Cannot select").
MULTIPLIES_BFLOAT16 = triton.runtime.driver.active.get_current_target().arch in ("gfx90a", "gfx942")


@triton.jit
def bfloat16_maths(x, y, sums, products, n, MULTIPLY: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    a = tl.load(x + at, mask=inside)
    b = tl.load(y + at, mask=inside)
    tl.store(sums + at, tl.maximum(a + b, b - a), mask=inside)
    product = a * b if MULTIPLY else (a.to(tl.float32) * b.to(tl.float32)).to(tl.bfloat16)
    tl.store(products + at, product, mask=inside)


@triton.jit
def convert(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside).to(out.dtype.element_ty), mask=inside)


@triton.jit
def bfloat16_dot(a, b, c, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at)))


def converted(values, dtype):
    out = kt.empty(values.shape, dtype)
    convert[(triton.cdiv(values.size, 256),)](kt.array(values), out, values.size, BLOCK=256)
    return np.asarray(out)


def check(rng):
    bf16 = ml_dtypes.bfloat16
    n = 1000
    x, y = (kt.array(rng.standard_normal(n).astype(bf16)) for _ in "xy")
    sums, products = kt.empty_like(x), kt.empty_like(x)
    bfloat16_maths[(4,)](x, y, sums, products, n, MULTIPLY=MULTIPLIES_BFLOAT16, BLOCK=256)
    a, b = np.asarray(x), np.asarray(y)
    np.testing.assert_array_equal(np.asarray(sums).view(np.uint16), np.maximum(a + b, b - a).view(np.uint16))
    np.testing.assert_array_equal(np.asarray(products).view(np.uint16), (a * b).view(np.uint16))

    # Every bit pattern of the type, and rounding to nearest even at each midpoint.
    patterns = np.arange(2**16, dtype=np.uint16).view(bf16)
    finite = patterns[np.isfinite(patterns.astype(np.float32))]
    np.testing.assert_array_equal(converted(finite, np.float32), finite.astype(np.float32))
    values = rng.standard_normal(4000).astype(np.float32)
    halfway = (finite[:4000].view(np.uint16).astype(np.uint32) << 16 | 0x8000).view(np.float32)
    for floats in (values, halfway):
        np.testing.assert_array_equal(converted(floats, bf16).view(np.uint16), floats.astype(bf16).view(np.uint16))

    if MULTIPLIES_BFLOAT16:
        check_dot(rng)


def check_dot(rng):
    a, b = (kt.array(rng.standard_normal((32, 32)).astype(ml_dtypes.bfloat16)) for _ in "ab")
    c = kt.empty((32, 32))
    bfloat16_dot[(1,)](a, b, c, N=32)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-5, atol=1e-5)


def check_float8(rng):
    for dtype in (ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn):
        patterns = np.arange(256, dtype=np.uint8).view(dtype)
        finite = patterns[np.isfinite(patterns.astype(np.float32))]
        np.testing.assert_array_equal(converted(finite, np.float32), finite.astype(np.float32))
        np.testing.assert_array_equal(converted(finite.astype(np.float32), dtype).view(np.uint8), finite.view(np.uint8))
