import numpy as np
import triton
import triton.language as tl

import kernloop.triton as kt


@triton.jit
def seeded_dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    value = tl.load(x + at, mask=inside)
    keep = tl.rand(seed, at) > p
    tl.store(out + at, tl.where(keep, value / (1 - p), 0.0), mask=inside)


def philox(seed, counters, rounds=10):
    """Salmon and others, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011): Philox4x32-10, its first output."""
    low, high = 0xFFFFFFFF, np.uint64(32)
    c = [counters.astype(np.uint64), *(np.zeros_like(counters, np.uint64) for _ in range(3))]
    k = [np.uint64(seed & low), np.uint64(seed >> 32)]
    for _ in range(rounds):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> high) ^ c[1] ^ k[0], b & np.uint64(low), (a >> high) ^ c[3] ^ k[1], a & np.uint64(low)]
        k = [(k[0] + np.uint64(0x9E3779B9)) & np.uint64(low), (k[1] + np.uint64(0xBB67AE85)) & np.uint64(low)]
    return c[0].astype(np.uint32)


def uniform(words):
    signed = words.view(np.int32)
    return np.where(signed < 0, -signed - 1, signed).astype(np.float32) * np.float32(4.6566127342e-10)


def check(rng):
    n, p = 4099, 0.25
    x = kt.array(rng.standard_normal(n, np.float32))
    kept = {}
    for seed in (123, 123, 512):
        out = kt.empty_like(x)
        seeded_dropout[(triton.cdiv(n, 1024),)](x, out, n, p, seed, BLOCK=1024)
        keep = uniform(philox(seed, np.arange(n))) > np.float32(p)
        np.testing.assert_array_equal(np.asarray(out) != 0, keep)
        np.testing.assert_allclose(out, np.where(keep, x / np.float32(1 - p), 0), rtol=1e-6)
        kept[seed] = keep
    assert not np.array_equal(kept[123], kept[512]) and abs(kept[123].mean() - 0.75) < 0.03
