"""Triton's operations by type, on the software GPU, each compared with NumPy or Python's math: some 300 kernels that
take minutes to compile.

. python/.venv/bin/activate; KERNLOOP_SOFTGPU=gfx1030 pytest -q bench/triton_operations.py
"""

import importlib.util
import itertools
import math

import ml_dtypes
import numpy as np
import pytest

import kernloop.triton as kt

kt.activate()

import triton  # noqa: E402

GFX90A = triton.runtime.driver.active.get_current_target().arch == "gfx90a"
N = 512
HEAD = "import triton, triton.language as tl\nfrom triton.language.extra import libdevice\n@triton.jit\ndef kernel"


@pytest.fixture
def compiled(tmp_path):
    """Makes a kernel from its parameters and body: Triton reads its source from a file."""

    def make(parameters, *body):
        path = tmp_path / "kernel.py"
        path.write_text(f"{HEAD}({parameters}):\n" + "".join(f"    {line}\n" for line in body))
        spec = importlib.util.spec_from_file_location(f"kernel_{tmp_path.name}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.kernel

    return make


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def elementwise(compiled, expression, x, expected, dtype=None, **tolerance):
    kernel = compiled("x, o, N: tl.constexpr", "i = tl.arange(0, N)", "v = tl.load(x + i)", f"tl.store(o + i, {expression})")
    out = kt.zeros(x.size, dtype or expected.dtype)
    kernel[(1,)](kt.array(x), out, x.size)
    if tolerance:
        np.testing.assert_allclose(np.asarray(out, np.float64), np.asarray(expected, np.float64), **tolerance)
    else:
        np.testing.assert_array_equal(np.asarray(out), expected.astype(out.dtype))


def each(function):
    return lambda values: np.array([function(value) for value in values.tolist()])


WIDE, POSITIVE, UNIT, ABOVE_ONE = "wide", "positive", "unit", "above one"
MATHS = {
    "tl.exp": (np.exp, WIDE), "tl.exp2": (np.exp2, WIDE), "tl.log": (np.log, POSITIVE), "tl.log2": (np.log2, POSITIVE),
    "tl.sin": (np.sin, WIDE), "tl.cos": (np.cos, WIDE), "tl.sqrt": (np.sqrt, POSITIVE), "tl.rsqrt": (lambda v: 1 / np.sqrt(v), POSITIVE),
    "tl.floor": (np.floor, WIDE), "tl.ceil": (np.ceil, WIDE), "tl.abs": (np.abs, WIDE), "tl.erf": (each(math.erf), WIDE),
    "libdevice.tanh": (np.tanh, WIDE), "libdevice.sinh": (np.sinh, WIDE), "libdevice.cosh": (np.cosh, WIDE), "libdevice.tan": (np.tan, WIDE),
    "libdevice.asin": (np.arcsin, UNIT), "libdevice.acos": (np.arccos, UNIT), "libdevice.atan": (np.arctan, WIDE),
    "libdevice.asinh": (np.arcsinh, WIDE), "libdevice.acosh": (np.arccosh, ABOVE_ONE), "libdevice.atanh": (np.arctanh, UNIT),
    "libdevice.expm1": (np.expm1, WIDE), "libdevice.log1p": (np.log1p, POSITIVE), "libdevice.log10": (np.log10, POSITIVE),
    "libdevice.erfc": (each(math.erfc), WIDE), "libdevice.lgamma": (each(math.lgamma), POSITIVE), "libdevice.trunc": (np.trunc, WIDE),
    "libdevice.round": (lambda v: np.sign(v) * np.floor(np.abs(v) + 0.5), WIDE),
}  # fmt: skip
ONLY_FLOAT32 = {"tl.exp2", "tl.log2", "tl.cos", "tl.rsqrt"}


@pytest.mark.parametrize(
    ("name", "dtype"), [p for p in itertools.product(MATHS, ("float32", "float64")) if p[1] == "float32" or p[0] not in ONLY_FLOAT32]
)
def test_maths(compiled, rng, name, dtype):
    reference, domain = MATHS[name]
    x = 3 * rng.standard_normal(N)
    x = {WIDE: x, POSITIVE: np.abs(x) + 0.1, UNIT: np.tanh(x) * 0.95, ABOVE_ONE: np.abs(x) + 1.1}[domain].astype(dtype)
    tolerance = 2e-5 if dtype == "float32" else 1e-10
    elementwise(compiled, f"{name}(v)", x, reference(x.astype(np.float64)).astype(dtype), rtol=tolerance, atol=tolerance)


INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]


def quotient(x):
    return np.array([v // 7 if v >= 0 else -(-v // 7) for v in x.tolist()], x.dtype)


INTEGER_OPERATIONS = {
    "-v": lambda x: -x, "~v": lambda x: ~x, "v << 3": lambda x: x << 3, "v >> 2": lambda x: x >> 2, "v * v": lambda x: x * x,
    "v // 7": quotient, "v % 7": lambda x: (x - quotient(x) * x.dtype.type(7)).astype(x.dtype), "(v > 5).to(tl.int32)": lambda x: (x > 5).astype(np.int32),
    "v.to(tl.float16)": lambda x: x.astype(np.float16), "v.to(tl.float32)": lambda x: x.astype(np.float32), "v.to(tl.float64)": lambda x: x.astype(np.float64),
}  # fmt: skip


def integers(rng, dtype):
    info = np.iinfo(dtype)
    x = rng.integers(info.min, info.max, N, dtype=dtype, endpoint=True)
    x[:4] = [info.min, info.max, 1, 0]
    return x


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("expression", INTEGER_OPERATIONS)
def test_integers(compiled, rng, expression, dtype):
    x = integers(rng, dtype)
    with np.errstate(all="ignore"):
        elementwise(compiled, expression, x, INTEGER_OPERATIONS[expression](x))


def reduced(compiled, name, x, dtype):
    kernel = compiled("x, o, N: tl.constexpr", f"tl.store(o, tl.{name}(tl.load(x + tl.arange(0, N)), axis=0))")
    out = kt.zeros(1, dtype)
    kernel[(1,)](kt.array(x), out, x.size)
    return out[0]


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("name", ["sum", "max", "min", "xor_sum", "argmax", "argmin"])
def test_reductions_of_integers(compiled, rng, name, dtype):
    x = integers(rng, dtype)
    if name == "sum":  # narrow types are summed in 32 bits
        wide = dtype if dtype.endswith("64") else dtype.rstrip("0123456789") + "32"
        expected = x.sum(dtype=wide)
    else:
        expected = np.bitwise_xor.reduce(x) if name == "xor_sum" else getattr(np, name)(x)
    signed = dtype.startswith("i") or name.startswith("arg")
    assert int(reduced(compiled, name, x, np.int64 if signed else np.uint64)) == int(expected)


FLOATS = {"float16": 5e-2, "float32": 1e-5, "float64": 1e-12}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["sum", "max", "min", "argmax", "argmin"])
def test_reductions_of_floats(compiled, rng, name, dtype):
    x = rng.standard_normal(N).astype(dtype)
    expected = x.astype(np.float64).sum() if name == "sum" else getattr(np, name)(x)
    got = reduced(compiled, name, x, np.int64 if name.startswith("arg") else dtype)
    np.testing.assert_allclose(float(got), float(expected), rtol=FLOATS[dtype], atol=FLOATS[dtype])


@pytest.mark.parametrize(("source", "target"), list(itertools.product(FLOATS, [*FLOATS, "int32", "int64", "uint8"])))
def test_conversions(compiled, rng, source, target):
    x = (100 * rng.standard_normal(N)).astype(source)
    x = np.abs(x) % x.dtype.type(200) if target == "uint8" else x
    elementwise(compiled, f"v.to(tl.{target})", x, x.astype(target))


SHAPES = {
    "tl.gather(v, (i * 7) % N, axis=0)": lambda v: v[np.arange(N) * 7 % N],
    "tl.reshape(tl.trans(tl.reshape(v, 16, N // 16)), N)": lambda v: v.reshape(16, -1).T.reshape(-1),
    "tl.flip(v, 0)": lambda v: v[::-1],
    "tl.clamp(v, -1.0, 1.0)": lambda v: np.clip(v, -1, 1),
    "v.to(tl.int32, bitcast=True)": lambda v: v.view(np.int32),
    "tl.math.div_rn(v, 3.0 + 0 * v)": lambda v: v / np.float32(3),
    'tl.inline_asm_elementwise("v_add_f32 $0, 1.0, $1", "=v,v", [v], dtype=tl.float32, is_pure=True, pack=1)': lambda v: v + np.float32(1),
}


@pytest.mark.parametrize("expression", SHAPES)
def test_shapes_and_bits(compiled, rng, expression):
    x = rng.standard_normal(N).astype(np.float32)
    elementwise(compiled, expression, x, SHAPES[expression](x))


ATOMICS = {
    "add": ["int32", "uint32", "int64", "float16", "float32", "float64"], "max": ["int32", "uint32", "int64", "float32", "float64"],
    "min": ["int32", "uint32", "float32"], "and": ["int32", "int64"], "or": ["int32"], "xor": ["uint32", "uint64"], "xchg": ["int32", "int64", "float32"],
}  # fmt: skip


@pytest.mark.parametrize("order", ["relaxed", "acq_rel"])
@pytest.mark.parametrize(("name", "dtype"), [(name, dtype) for name, dtypes in ATOMICS.items() for dtype in dtypes])
def test_atomics(compiled, rng, name, dtype, order):
    kernel = compiled(
        "x, o, old, N: tl.constexpr", "i = tl.arange(0, N)",
        f'tl.store(old + i, tl.atomic_{name}(o + i % 8, tl.load(x + i), sem="{order}"))',
    )  # fmt: skip
    x = rng.integers(0, 20, N).astype(dtype)
    out, old = kt.zeros(8, dtype), kt.zeros(N, dtype)
    kernel[(1,)](kt.array(x), out, old, N)
    columns = x.reshape(-1, 8)
    if name == "xchg":  # every value appears once: as an old value, or as the final one
        for at in range(8):
            assert sorted([*old.reshape(-1, 8)[:, at].tolist(), out[at]]) == sorted([*columns[:, at].tolist(), 0])
        return
    reduce = {"add": np.add, "max": np.maximum, "min": np.minimum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}[name]
    np.testing.assert_array_equal(np.asarray(out), reduce.reduce(np.concatenate([np.zeros((1, 8), dtype), columns])))


DOTS = [
    *(("float16", "float32", size, options) for size in (16, 32, 64) for options in ({}, {"num_warps": 1}, {"num_warps": 8}, {"kpack": 2})),
    *(("float16", "float32", 64, {"matrix_instr_nonkdim": size}) for size in (16, 32)),
    ("float32", "float32", 32, {}), ("float64", "float64", 16, {}), ("int8", "int32", 32, {}), ("float8_e5m2", "float32", 64, {}), ("float16", "float16", 32, {}),
    *([("bfloat16", "float32", 64, {}), ("int8", "int32", 64, {})] if GFX90A else []),
]  # fmt: skip


@pytest.mark.parametrize(("dtype", "result", "size", "options"), DOTS, ids=lambda value: str(value))
def test_dots(compiled, rng, dtype, result, size, options):
    kernel = compiled(
        "a, b, c, N: tl.constexpr", "i = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]",
        f"tl.store(c + i, tl.dot(tl.load(a + i), tl.load(b + i), out_dtype=tl.{result}))",
    )  # fmt: skip
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    # Large enough that a matrix instruction does not flush it as a denormal.
    a, b = (np.round(16 * rng.standard_normal((size, size))) / (1 if dtype == "int8" else 16) for _ in "ab")
    a, b, c = kt.array(a.astype(kind)), kt.array(b.astype(kind)), kt.zeros((size, size), result)
    kernel[(1,)](a, b, c, size, **options)
    expected = np.asarray(a).astype(np.float64) @ np.asarray(b).astype(np.float64)
    tolerance = 2e-2 if result == "float16" else 1e-5
    np.testing.assert_allclose(c, expected, rtol=tolerance, atol=10 * tolerance)
