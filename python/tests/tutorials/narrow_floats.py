"""bfloat16 and the 8-bit formats."""

import ml_dtypes
import numpy as np
import triton
import triton.language as tl

import kernloop.triton as kt

# For others Triton 3.6 multiplies bfloat16 by an instruction that gfx1030 lacks (LLVM then ends the process: "Cannot select") and of which
# nobody says how it rounds (gfx1100's).
ARCH = triton.runtime.driver.active.get_current_target().arch
MULTIPLIES_BFLOAT16 = ARCH in ("gfx90a", "gfx942")


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


@triton.jit
def tf32_dot(a, b, c, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(c + at, tl.dot(tl.load(a + at), tl.load(b + at), input_precision="tf32"))


def check_tf32(rng):
    """Cut to 10 bits of mantissa, as the hardware does: rounded factors are wrong here from the fourth digit on."""
    a, b = (rng.random((32, 32), np.float32) for _ in "ab")
    c = kt.empty((32, 32))
    tf32_dot[(1,)](kt.array(a), kt.array(b), c, N=32)
    cut_a, cut_b = ((x.view(np.uint32) & ~np.uint32(0x1FFF)).view(np.float32).astype(np.float64) for x in (a, b))
    np.testing.assert_allclose(c, cut_a @ cut_b, rtol=1e-6)


def check_float8(rng):
    for dtype in (ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn):
        patterns = np.arange(256, dtype=np.uint8).view(dtype)
        finite = patterns[np.isfinite(patterns.astype(np.float32))]
        np.testing.assert_array_equal(converted(finite, np.float32), finite.astype(np.float32))
        np.testing.assert_array_equal(converted(finite.astype(np.float32), dtype).view(np.uint8), finite.view(np.uint8))
    if ARCH == "gfx942":
        check_own_float8(rng, tl.float8e4b8, ml_dtypes.float8_e4m3fnuz)
        check_own_float8(rng, tl.float8e5b16, ml_dtypes.float8_e5m2fnuz)


# As bytes: Triton 3.6 knows the types of arguments by their hash, which NumPy's types of 8 bits have in common.
@triton.jit
def to_bits(x, out, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n).to(KIND).to(tl.uint8, bitcast=True), mask=at < n)


@triton.jit
def from_bits(x, out, n, KIND: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n).to(KIND, bitcast=True).to(tl.float32), mask=at < n)


@triton.jit
def dot_of_bits(a, b, c, N: tl.constexpr, KIND: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(c + at, tl.dot(tl.load(a + at).to(KIND, bitcast=True), tl.load(b + at).to(KIND, bitcast=True)))


def bits_of(floats, kind):
    out = kt.empty(floats.shape, np.uint8)
    to_bits[(triton.cdiv(floats.size, 256),)](kt.array(floats), out, floats.size, KIND=kind, BLOCK=256)
    return np.asarray(out)


def check_own_float8(rng, kind, dtype):
    """Of gfx942, which rounds to them by an instruction: every bit pattern, every midpoint and what lies beside it, NaN, and what is
    too large, which Triton has clamped."""
    patterns = np.arange(256, dtype=np.uint8)
    values = kt.empty(256)
    from_bits[(1,)](kt.array(patterns), values, 256, KIND=kind, BLOCK=256)
    np.testing.assert_array_equal(values, patterns.view(dtype).astype(np.float32))
    ascending = np.sort(np.asarray(values)[np.isfinite(values)])
    midpoints, largest = (ascending[1:] + ascending[:-1]) / 2, ascending[-1]
    beside = [np.nextafter(midpoints, np.float32(end)) for end in (np.inf, -np.inf)]
    drawn = (largest * rng.standard_normal(4000)).astype(np.float32)
    for floats in (ascending, midpoints, *beside, drawn, np.float32(1e-6) * drawn):
        expected = np.clip(floats, -largest, largest).astype(dtype)
        np.testing.assert_array_equal(bits_of(floats, kind), expected.view(np.uint8))
    assert bits_of(np.full(3, np.nan, np.float32), kind).tolist() == [0x80] * 3
    a, b = (rng.standard_normal((32, 32)).astype(dtype) for _ in "ab")
    c = kt.empty((32, 32))
    dot_of_bits[(1,)](kt.array(a.view(np.uint8)), kt.array(b.view(np.uint8)), c, N=32, KIND=kind)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64), rtol=1e-5, atol=1e-5)
