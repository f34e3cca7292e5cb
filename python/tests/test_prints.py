"""device_print and device_assert."""

import re
import struct

import numpy as np
import pytest
import triton
import triton.language as tl

import kernloop.triton as kt
from kernloop.errors import DeviceFault, KernloopError
from kernloop.softgpu.printf import format_message


@triton.jit
def shout(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n, other=0)
    tl.device_print("value", values)
    tl.device_print("half", values.to(tl.float32) / 2, values.to(tl.int64) << 40)
    tl.device_print("bits", values, hex=True)


def lines_of(text, name):
    pattern = rf"pid \((\d+), 0, 0\) idx \(\s*(\d+)\) {name}(?:\(operand \d\) )?:?\s*(\S+)"
    return sorted((int(pid), int(at), value) for pid, at, value in re.findall(pattern, text))


def test_every_element_prints_once(capfd):
    x = np.arange(-3, 509, dtype=np.int32)
    shout[(8,)](kt.array(x), x.size, BLOCK=64, num_warps=1)
    out = capfd.readouterr().out
    places = [(pid, at, int(x[64 * pid + at])) for pid in range(8) for at in range(64)]
    assert lines_of(out, "value") == sorted((pid, at, str(value)) for pid, at, value in places)
    assert lines_of(out, "bits") == sorted((pid, at, f"0x{value & 0xFFFFFFFF:08x}") for pid, at, value in places)
    operands = re.findall(r"half: \(operand (\d)\) (\S+)", out)
    assert sorted(value for operand, value in operands if operand == "0") == sorted(f"{value / 2:f}" for value in x)
    assert sorted(int(value) for operand, value in operands if operand == "1") == [int(value) << 40 for value in x]


@triton.jit
def at_most(x, limit, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.device_assert(tl.load(x + at) <= limit, "too large")
    tl.store(x + at, 0)


def test_a_failed_assertion_is_a_fault_and_prints_its_text(capfd):
    x = kt.array(np.arange(64, dtype=np.int32))
    at_most[(1,)](x, 5, BLOCK=64)  # without debug it is not compiled
    assert not x.any()
    x[:] = np.arange(64)
    at_most[(1,)](x, 63, BLOCK=64, debug=True)
    assert not x.any() and capfd.readouterr().err == ""
    x[:] = np.arange(64)
    with pytest.raises(DeviceFault, match="device_assert") as caught:
        at_most[(1,)](x, 62, BLOCK=64, debug=True)
    assert caught.value.fault["kind"] == "trap" and "too large" in capfd.readouterr().err
    x[:] = 0
    at_most[(1,)](x, 62, BLOCK=64, debug=True)


def test_too_many_waves_that_print():
    with pytest.raises(KernloopError, match="fewer programs"):
        shout[(70_000,)](kt.zeros(64, np.int32), 64, BLOCK=64, num_warps=1)


def packed(*parts):
    return b"".join(
        part.encode().ljust((len(part) + 8) // 8 * 8, b"\0")
        if isinstance(part, str)
        else struct.pack("<d" if isinstance(part, float) else "<Q", part)
        for part in parts
    )


M64 = 2**64


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("plain 100%%",), "plain 100%"),
        (("12345678%d", 5), "123456785"),
        (("%d %u %i", M64 - 1, M64 - 1, 7), "-1 4294967295 7"),
        (("%lli %llu %lx", M64 - 5, M64 - 5, 255), "-5 18446744073709551611 ff"),
        (("%hhd %hu", 255, 65537), "-1 1"),
        (("%08x|%-5d|%+d", 0xBEEF, 3, 4), "0000beef|3    |+4"),
        (("%f %.2e %g", 0.5, 1234.5, 1e-9), "0.500000 1.23e+03 1e-09"),
        (("%s-%s-%d", "abc", "exactly8", 9), "abc-exactly8-9"),
        (("%c%p", 65, 0x1234), "A0x1234"),
        (("%d %d", 1), "1 0"),
    ],
)
def test_formats(parts, text):
    assert format_message(packed(*parts)) == text
