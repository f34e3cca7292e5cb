"""What a kernel or a launch does wrong is an exception that says what, and the next launch works."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.runtime.errors import OutOfResources

import kernloop.triton as kt
from kernloop.errors import DeviceFault, KernloopError
from kernloop.softgpu import open_device
from kernloop.triton.versions import check_version


@triton.jit
def poke(out):
    tl.store(out, 7)


@triton.jit
def poke_address(address, out):
    tl.store(out, 1)
    tl.store(address.to(tl.pointer_type(tl.int32)), 7)


class Foreign:
    """Somebody else's pointer."""

    dtype = np.dtype(np.int32)

    def __init__(self, address):
        self.address = address

    def data_ptr(self):
        return self.address


def test_a_wild_store_names_kernel_and_address_and_the_device_goes_on():
    out = kt.zeros(1, np.int32)
    address = out.data_ptr() + (1 << 40)
    for _ in range(3):
        out.zero_()
        with pytest.raises(DeviceFault) as caught:
            poke_address[(1,)](address, out)
        fault = caught.value.fault
        assert caught.value.code == "DEVICE_FAULT" and fault["kind"] == "memory_access" and fault["kernel"] == "poke_address"
        assert int(fault["address"], 16) == address and fault["access"] == "write"
        assert "poke_address" in str(caught.value) and f"{address:x}" in str(caught.value)
        assert out[0] == 1
        poke[(1,)](out)
        assert out[0] == 7


def test_an_address_of_nobody_s_is_refused_before_the_launch():
    out = kt.zeros(1, np.int32)
    freed = kt.zeros(1, np.int32).data_ptr()
    for address in (freed, out.data_ptr() + (1 << 40), np.zeros(4).ctypes.data):
        with pytest.raises(KernloopError, match="kernloop.triton.array") as refused:
            poke[(1,)](Foreign(address))
        assert refused.value.code == "KERNEL_ARGUMENTS" and "argument 0 of poke" in refused.value.what
    poke[(1,)](Foreign(out.data_ptr()))
    assert out[0] == 7


def test_too_much_shared_memory_is_triton_s_own_error():
    @triton.jit
    def pick(x, N: tl.constexpr):
        at = tl.arange(0, N)
        tl.store(x + at, tl.gather(tl.load(x + at), N - 1 - at, axis=0))

    with pytest.raises(OutOfResources, match="shared memory"):
        pick[(1,)](kt.zeros(32768), N=32768, num_warps=8)


def test_more_memory_than_there_is():
    before = open_device().allocated_bytes
    with pytest.raises(MemoryError, match="software GPU"):
        kt.empty(1 << 50, np.int8)
    assert open_device().allocated_bytes == before


@pytest.mark.parametrize("version", ["3.5.1", "3.60.0", "4.0", "main"])
def test_another_triton_is_refused_by_name(version):
    with pytest.raises(KernloopError, match=f"Triton {version}") as refused:
        check_version(version)
    assert refused.value.code == "ENVIRONMENT_TRITON_VERSION"


def test_the_target_cannot_change():
    here = open_device().target
    other = "gfx1030" if here == "gfx90a" else "gfx90a"
    with pytest.raises(KernloopError, match=f"is {here} already"):
        kt.activate(other)
    kt.activate(here)
    with pytest.raises(KernloopError, match="gfx1100"):
        kt.activate("gfx1100")


def python(code, tmp_path, **environment):
    program = tmp_path / "program.py"
    program.write_text(
        "import kernloop.triton as kt\nkt.activate()\nimport numpy as np, triton, triton.language as tl\n" + textwrap.dedent(code)
    )
    return subprocess.Popen(
        [sys.executable, str(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )


SPIN = """
    @triton.jit
    def spin(flag):
        while tl.atomic_add(flag, 0) == 0:
            pass

    @triton.jit
    def one(out):
        tl.store(out, 1)
"""


def test_a_kernel_that_hangs_meets_the_limit(tmp_path):
    code = (
        SPIN
        + """
    try:
        spin[(1,)](kt.zeros(1, np.int32))
    except kt.DeviceFault as fault:
        print(fault.code, fault.fault['kind'])
    """
    )
    program = python(code, tmp_path, KERNLOOP_SOFTGPU_MAX_INSTRUCTIONS="100000")
    out, err = program.communicate(timeout=60)
    assert (program.returncode, out.split()) == (0, ["DEVICE_LIMIT", "instruction_limit"]), err


def test_ctrl_c_ends_a_kernel_that_hangs(tmp_path):
    code = """
    import os, signal, threading, time
    @triton.jit
    def spin(flag):
        tl.store(flag + 1, 1)
        while tl.atomic_add(flag, 0) == 0:
            pass

    flag = kt.zeros(2, np.int32)
    def interrupt():
        while flag[1] == 0:
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=interrupt).start()
    try:
        spin[(1,)](flag)
    except KeyboardInterrupt:
        flag[:] = [1, 0]
        spin[(1,)](flag)
        print('interrupted', flag[1])
    """
    program = python(code, tmp_path)
    out, err = program.communicate(timeout=60)
    assert (program.returncode, out) == (0, "interrupted 1\n"), err


def test_a_forked_process_is_told(tmp_path):
    code = (
        SPIN
        + """
    import os
    out = kt.zeros(1, np.int32)
    one[(1,)](out)
    if os.fork() == 0:
        try:
            one[(1,)](out)
        except kt.KernloopError as error:
            print(error.code, flush=True)
        del out
        os._exit(0)
    os.wait()
    one[(1,)](out)
    print('parent', out[0])
    """
    )
    program = python(code, tmp_path)
    out, err = program.communicate(timeout=60)
    assert (program.returncode, out) == (0, "FORKED_AFTER_INIT\nparent 1\n"), err


def test_a_program_may_end_while_a_thread_launches(tmp_path):
    code = (
        SPIN
        + """
    import threading
    flag = kt.zeros(1, np.int32)
    one[(1,)](kt.zeros(1, np.int32))
    started = threading.Event()
    def work():
        started.set()
        spin[(1,)](flag)
    threading.Thread(target=work, daemon=True).start()
    started.wait()
    print('ends', flush=True)
    """
    )
    program = python(code, tmp_path)
    out, err = program.communicate(timeout=60)
    assert (program.returncode, out) == (0, "ends\n"), err


def test_without_the_library_it_says_where_it_looked(tmp_path):
    program = python("", tmp_path, KERNLOOP_NATIVE_DIR=str(tmp_path))
    _, err = program.communicate(timeout=60)
    assert program.returncode == 1 and "ENVIRONMENT_NATIVE_MISSING" in err and str(tmp_path) in err


def test_the_checker_finds_what_hardware_lets_pass(tmp_path):
    code = """
    @triton.jit
    def add(x, out, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)

    x, out = kt.array(np.arange(1000, dtype=np.int32)), kt.empty(1000, np.int32)
    add[(4,)](x, out, 1000, BLOCK=256)
    assert (out == x + 1).all()
    if len(sys.argv) > 1:
        add[(4,)](kt.empty(1000, np.int32), out, 1024, BLOCK=256)
    """
    quiet = python("import sys\n" + textwrap.dedent(code), tmp_path, KERNLOOP_SOFTGPU_CHECK="all")
    assert (quiet.communicate(timeout=60)[1], quiet.returncode) == ("", 0)
    told = python("import sys\nsys.argv.append('wrong')\n" + textwrap.dedent(code), tmp_path, KERNLOOP_SOFTGPU_CHECK="all")
    _, err = told.communicate(timeout=60)
    assert told.returncode == 0
    for finding in ("access past the end of an allocation in kernel add", "read of uninitialised memory in kernel add", "write of"):
        assert finding in err
