"""Every kernel against NumPy: exact where exact is right."""

import ml_dtypes
import numpy as np
import pytest
import triton.language as tl
from tutorials import attention, dropout, layer_norm, matmul, narrow_floats, scans, softmax, structures, vector_add

import kernloop.triton as kt
from kernloop.errors import DeviceFault

CASES = {
    "vector add": vector_add.check,
    "softmax": softmax.check,
    "matmul, autotuned": matmul.check,
    "layer norm, forward and backward": layer_norm.check,
    "fused attention": attention.check,
    "seeded dropout": dropout.check,
    "cumulative sums": scans.check_cumulate,
    "sort": scans.check_sort,
    "histograms": scans.check_histogram,
    "bfloat16": narrow_floats.check,
    "float8": narrow_floats.check_float8,
    "pointers in memory (grouped matmul)": structures.check_pointers_in_memory,
    "block pointers and descriptors": structures.check_blocks,
    "reductions of tuples": structures.check_tuples,
    "spilled registers": structures.check_spills,
    "programs that wait for each other": structures.check_programs_that_wait_for_each_other,
    "Gluon": structures.check_gluon,
}


@pytest.mark.parametrize("case", CASES)
def test_equals_numpy(case, rng):
    CASES[case](rng)


if narrow_floats.ARCH == "gfx1100":

    def test_a_product_of_bfloat16_is_refused_by_name():
        ones = kt.array(np.ones(256, ml_dtypes.bfloat16))
        out = kt.empty((2, 256), ml_dtypes.bfloat16)
        with pytest.raises(DeviceFault, match="v_dot2_bf16_bf16"):
            narrow_floats.bfloat16_maths[(1,)](ones, ones, out[0], out[1], 256, MULTIPLY=True, BLOCK=256)


if narrow_floats.ARCH == "gfx942":

    def test_a_product_of_tf32_has_factors_that_are_cut_off(rng):
        narrow_floats.check_tf32(rng)

    def test_what_becomes_of_an_infinity_in_8_bits_is_refused_by_name():
        with pytest.raises(DeviceFault, match="infinity made a float of 8 bits"):
            narrow_floats.bits_of(np.full(3, np.inf, np.float32), tl.float8e4b8)
