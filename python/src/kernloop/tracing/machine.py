"""Time, and position of a program on its device. The compilation target selects the implementation, so that any machine
can compile for any target.

Unit ids: NVIDIA: the SM in `cu`, 0 in `xcc`. AMD: the XCC in `xcc` (0 if there is one), and in `cu` the number of the
compute unit in it: gfx9: shader engine << 5 | shader array << 4 | CU; gfx10 to gfx12: shader engine << 6 | shader array
<< 5 | WGP << 1 | CU."""

import hashlib
from pathlib import Path

from triton.language import core

TEXT = core.constexpr(hashlib.sha256(Path(__file__).read_bytes()).hexdigest())
"""Of this file. Triton's cache knows kernels by the text of what they call, but not of what is no JIT function: kernels name this."""

_XCC = ("gfx940", "gfx941", "gfx942", "gfx950")


def _assembly(text, constraint, dtype, semantic, is_pure=False):
    return core.inline_asm_elementwise(text, constraint, [], dtype=dtype, is_pure=is_pure, pack=1, _semantic=semantic)


def _place(text, constraint, semantic):
    """Pure, because a program never moves."""
    return _assembly(text, constraint, core.int32, semantic, is_pure=True)


def _target(semantic):
    options = semantic.builder.options
    return options.backend_name, str(options.arch)


def _unknown(what, arch):
    return NotImplementedError(f"kernloop.tracing knows no way to read {what} on {arch}: compile this kernel with tracing=False")


@core.builtin
def read_realtime(_semantic=None):
    """Clock of the whole device, 64 bits."""
    backend, arch = _target(_semantic)
    if backend == "cuda":
        return _assembly("mov.u64 $0, %globaltimer;", "=l", core.int64, _semantic)
    if arch.startswith(("gfx9", "gfx10")):
        # A scalar memory instruction: its result is ready once LGKMcnt says so.
        return _assembly("s_memrealtime $0\ns_waitcnt lgkmcnt(0)", "=s", core.int64, _semantic)
    if arch.startswith(("gfx11", "gfx120")):
        return _assembly("s_sendmsg_rtn_b64 $0, sendmsg(MSG_RTN_GET_REALTIME)\ns_waitcnt lgkmcnt(0)", "=s", core.int64, _semantic)
    raise _unknown("the clock", arch)


@core.builtin
def has_cycles(_semantic=None):
    """Whether the device's clock is so coarse that a compute unit's own is read as well."""
    return core.constexpr(_target(_semantic)[0] == "cuda")


@core.builtin
def read_cycles(_semantic=None):
    """Lower half of the SM's clock."""
    return _assembly("mov.u32 $0, %clock;", "=r", core.int32, _semantic)


@core.builtin
def get_xcc_id(_semantic=None):
    backend, arch = _target(_semantic)
    if backend == "hip" and arch in _XCC:
        return _place("s_getreg_b32 $0, hwreg(HW_REG_XCC_ID, 0, 4)", "=s", _semantic)
    return _semantic.to_tensor(0)


@core.builtin
def get_cu_id(_semantic=None):
    backend, arch = _target(_semantic)
    if backend == "cuda":
        return _place("mov.u32 $0, %smid;", "=r", _semantic)
    if arch.startswith("gfx9"):
        return _place("s_getreg_b32 $0, hwreg(HW_REG_HW_ID, 8, 8)", "=s", _semantic)
    if arch.startswith(("gfx10", "gfx11", "gfx120")):
        text = "s_getreg_b32 $0, hwreg(HW_REG_HW_ID1, {}, {})"
        unit = _place(text.format(9, 5), "=s", _semantic)
        array = _place(text.format(16, 1), "=s", _semantic)
        engine = _place(text.format(18, 3), "=s", _semantic)
        high = _semantic.or_(_semantic.shl(engine, _semantic.to_tensor(6)), _semantic.shl(array, _semantic.to_tensor(5)))
        return _semantic.or_(high, unit)
    raise _unknown("the compute unit", arch)
