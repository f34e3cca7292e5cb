"""What Triton hands to the launcher, and what reaches the kernel."""

import sys
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import kernloop.triton as kt


@triton.jit
def store_scalars(flag, small, large, unsigned, real, out, reals):
    tl.store(out, flag.to(tl.int64))
    tl.store(out + 1, small)
    tl.store(out + 2, large)
    tl.store(out + 3, unsigned.to(tl.int64, bitcast=True))
    tl.store(reals, real)


@pytest.mark.parametrize(
    ("flag", "small", "large", "unsigned", "real"),
    [
        (True, -(2**31), 2**62 + 1, 2**64 - 1, 0.1),
        (False, 2**31 - 1, -(2**63), 2**63, -1e300),
        (True, 1, -(2**40), 2**63 + 5, 3.0),
    ],
)
def test_scalars_arrive_whole(flag, small, large, unsigned, real):
    out, reals = kt.zeros(4, np.int64), kt.zeros(1)
    store_scalars[(1,)](flag, small, large, unsigned, real, out, reals)
    with np.errstate(over="ignore"):
        assert reals[0] == np.float32(real)
    assert out.tolist() == [flag, small, large, unsigned - 2**64]


@triton.jit
def store_typed(half: "fp16", brain: "bf16", double: "fp64", byte: "i8", word: "u16", out):  # noqa: F821
    tl.store(out, half.to(tl.float64))
    tl.store(out + 1, brain.to(tl.float64))
    tl.store(out + 2, double)
    tl.store(out + 3, byte.to(tl.float64))
    tl.store(out + 4, word.to(tl.float64))


def test_scalars_have_the_type_of_their_annotation():
    out = kt.zeros(5, np.float64)
    store_typed[(1,)](0.1, 1.01, 0.1, -128, 65535, out)
    cut = (np.array([1.01], np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32)[0]
    assert out.tolist() == [np.float16(0.1), cut, 0.1, -128, 65535]


@triton.jit
def copy(source, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(source + at, mask=at < n), mask=at < n)


TYPES = [
    np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float16, np.float32, np.float64,
    ml_dtypes.bfloat16, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3fn,
]  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES, ids=lambda dtype: np.dtype(dtype).name)
def test_arrays_of_every_type(dtype, rng):
    source = kt.array(rng.integers(0, 2, 300).astype(dtype))
    out = kt.zeros(300, dtype)
    copy[(2,)](source, out, 300, BLOCK=256)
    np.testing.assert_array_equal(np.asarray(out), np.asarray(source))


def test_a_reinterpreted_array_is_the_same_memory():
    bits = kt.array(np.array([0x3F80, 0x4000, 0xC040], np.uint16))
    out = kt.zeros(3)

    @triton.jit
    def widen(x, y):
        at = tl.arange(0, 4)
        tl.store(y + at, tl.load(x + at, mask=at < 3).to(tl.float32), mask=at < 3)

    widen[(1,)](triton.reinterpret(bits, tl.bfloat16), out)
    assert out.tolist() == [1.0, 2.0, -3.0]


def test_views_point_to_their_first_element(rng):
    source = kt.array(rng.standard_normal(1000, np.float32))
    out = kt.zeros(1000)
    # 4-byte aligned only: compiled apart from the 16-byte aligned one.
    for begin in (0, 1, 16):
        copy[(1,)](source[begin : begin + 200], out[begin : begin + 200], 200, BLOCK=256)
        np.testing.assert_array_equal(out[begin : begin + 200], source[begin : begin + 200])


def test_integers_that_triton_specialises():
    compiled = []
    for n in (1, 16, 17, 32, 33):
        source, out = kt.array(np.arange(64, dtype=np.int32)), kt.zeros(64, np.int32)
        compiled.append(copy[(1,)](source, out, n, BLOCK=64))
        np.testing.assert_array_equal(out, np.where(np.arange(64) < n, np.arange(64), 0))
    # 1, a multiple of 16, and neither.
    assert len({kernel.hash for kernel in compiled}) == 3


# NumPy gives the types of ml_dtypes of 1 byte one hash, and Triton keeps the name of a type by its hash.
FLOAT8 = [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2fnuz]


class Named(NamedTuple):
    first: Any


@pytest.mark.parametrize("passed", [lambda x: x, lambda x: (x, 0), Named, lambda x: TensorDescriptor(x, [256], [1], [256])])
def test_each_float8_is_its_own_type(passed):
    @triton.jit
    def widen(source, out):
        at = tl.arange(0, 256)
        if isinstance(source, tl.tensor_descriptor):
            tl.store(out + at, source.load([0]).to(tl.float32))
        elif isinstance(source, tl.tuple):
            tl.store(out + at, tl.load(source[0] + at).to(tl.float32))
        else:
            tl.store(out + at, tl.load(source + at).to(tl.float32))

    for dtype in FLOAT8:
        # Triton's own conversion of E4M3FN on gfx90a makes NaN 480: finite values are compared.
        source, out = np.arange(256, dtype=np.uint8).view(dtype), kt.zeros(256)
        widen[(1,)](passed(kt.array(source)), out)
        expected = source.astype(np.float32)
        finite = np.isfinite(expected)
        np.testing.assert_array_equal(np.asarray(out)[finite], expected[finite], err_msg=np.dtype(dtype).name)


def test_a_type_that_triton_lacks_is_refused_after_one_that_it_has():
    out = kt.zeros(16)
    copy[(1,)](kt.zeros(16, ml_dtypes.float8_e4m3fn), out, 16, BLOCK=16)
    with pytest.raises(KeyError, match="int4"):
        copy[(1,)](kt.zeros(16, ml_dtypes.int4), out, 16, BLOCK=16)


def test_null_pointers_and_tuples():
    @triton.jit
    def first_of(pair, out, spare):
        if spare is not None:
            tl.store(spare, 1)
        tl.store(out, tl.load(pair[0]) + pair[1])

    x, out = kt.array([40], np.int32), kt.zeros(1, np.int32)
    first_of[(1,)]((x, 2), out, None)
    assert out[0] == 42


def test_tensor_descriptors(rng):
    @triton.jit
    def transpose(source, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
        tile = source.load([tl.program_id(0) * ROWS, 0])
        at = tl.arange(0, COLUMNS)[:, None] * 32 + tl.program_id(0) * ROWS + tl.arange(0, ROWS)[None, :]
        tl.store(out + at, tl.trans(tile))

    x, out = kt.array(rng.standard_normal((32, 16), np.float32)), kt.zeros((16, 32))
    transpose[(2,)](TensorDescriptor(x, [32, 16], [16, 1], [16, 16]), out, ROWS=16, COLUMNS=16)
    np.testing.assert_array_equal(out, x.T)


@triton.jit
def mark(out):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    at = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(out + at, (tl.num_programs(2) * 10 + tl.num_programs(1)) * 10 + tl.num_programs(0))


@pytest.mark.parametrize("grid", [(5,), (3, 4), (2, 3, 4), lambda meta: (2, 3)])
def test_grids_of_one_to_three_dimensions(grid):
    out = kt.zeros(40, np.int32)
    mark[grid](out)
    sizes = (*(grid({}) if callable(grid) else grid), 1, 1)[:3]
    programs = sizes[0] * sizes[1] * sizes[2]
    assert out.tolist() == [(sizes[2] * 10 + sizes[1]) * 10 + sizes[0]] * programs + [0] * (40 - programs)


def test_an_empty_grid_runs_nothing_and_calls_the_hooks():
    calls = []
    enter, leave = (lambda _: calls.append("enter")), (lambda _: calls.append("exit"))
    triton.knobs.runtime.launch_enter_hook.add(enter)
    triton.knobs.runtime.launch_exit_hook.add(leave)
    try:
        out = kt.zeros(1, np.int32)
        for grid in [(0,), (4, 0), (1, 1, 0)]:
            mark[grid](out)
    finally:
        triton.knobs.runtime.launch_enter_hook.remove(enter)
        triton.knobs.runtime.launch_exit_hook.remove(leave)
    assert out[0] == 0 and calls == ["enter", "exit"] * 3


def test_what_numpy_computes_is_an_ordinary_array(rng):
    x = kt.array(rng.standard_normal(8, np.float32))
    assert type(x + x) is np.ndarray and type(x.sum()) is np.float32 and type(x[2:]) is kt.DeviceArray
    with pytest.raises(TypeError):  # Triton's own: it wants data_ptr
        copy[(1,)](x + x, x, 8, BLOCK=8)


def last_tuning(autotuner):
    """As a capture records it."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shim"))
    try:
        from kernloop_triton_record.autotuner import _last_tuning
    finally:
        sys.path.pop(0)
    return _last_tuning(autotuner)


def test_autotuning_counts_executed_wave_instructions(rng):
    @triton.autotune(
        configs=[triton.Config({"BLOCK": 64}, num_warps=1), triton.Config({"BLOCK": 1024}, num_warps=4)], key=["n"], reset_to_zero=["total"]
    )
    @triton.jit
    def count(x, total, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.atomic_add(total, tl.sum(tl.load(x + at, mask=at < n, other=0)))

    x, total = kt.array(rng.integers(0, 9, 4096, dtype=np.int32)), kt.zeros(1, np.int32)
    seen = []
    for _ in range(2):
        count.cache.clear()
        count[lambda meta: (triton.cdiv(4096, meta["BLOCK"]),)](x, total, 4096)
        seen.append({config.kwargs["BLOCK"]: score for config, score in count.configs_timings.items()})
        assert total[0] == x.sum()  # the trials left nothing behind
        total.zero_()
    few, many = seen[0][1024][0], seen[0][64][0]
    assert seen[0] == seen[1] and 0 < few < many and few == int(few)
    assert count.best_config.kwargs["BLOCK"] == 1024
    told = last_tuning(count)
    assert told["unit"] == "wave_instructions" and told["key"][0] == "4096"
    assert [(each["configuration"]["BLOCK"]["python"], each["median"], each["chosen"]) for each in told["trials"]] == [
        ("64", many, False),
        ("1024", few, True),
    ]
    chosen = next(iter(count.configs_timings))
    count.configs_timings[chosen] = [float("inf")] * 3  # as of a configuration that wants more than there is
    assert [each["median"] for each in last_tuning(count)["trials"]] == [None, few]
