import numpy as np
import triton
import triton.language as tl

import kernloop.triton as kt


@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


def check(rng):
    n = 5003  # the last program is partial
    x, y = (kt.array(rng.standard_normal(n, np.float32)) for _ in "xy")
    out = kt.array(np.full(n + 8, 7, np.float32))
    vector_add[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, out, n, BLOCK=256)
    np.testing.assert_array_equal(out[:n], x + y)
    np.testing.assert_array_equal(out[n:], np.full(8, 7, np.float32))
