import numpy as np
import triton
import triton.language as tl

import kernloop.triton as kt


@triton.jit
def softmax(out, x, row_stride, out_stride, rows, columns, BLOCK: tl.constexpr):
    first = tl.program_id(0)
    step = tl.num_programs(0)
    for row in tl.range(first, rows, step):
        at = tl.arange(0, BLOCK)
        inside = at < columns
        values = tl.load(x + row * row_stride + at, mask=inside, other=-float("inf"))
        powers = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + row * out_stride + at, powers / tl.sum(powers, axis=0), mask=inside)


def reference(x):
    wide = x.astype(np.float64)
    powers = np.exp(wide - wide.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def check(rng):
    rows, columns = 37, 781
    x = kt.array(4 * rng.standard_normal((rows, columns), np.float32))
    out = kt.zeros((rows, columns))
    softmax[(8,)](out, x, x.strides[0] // 4, out.strides[0] // 4, rows, columns, BLOCK=triton.next_power_of_2(columns), num_warps=4)
    np.testing.assert_allclose(out, reference(x), rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(out.sum(axis=1), 1, rtol=1e-5)
