"""Device memory is given back with the last array that lies in it; PyTorch's tensors stay where they are."""

import gc
import threading

import numpy as np
import pytest
import triton
import triton.language as tl

import kernloop.triton as kt
from kernloop.errors import KernloopError
from kernloop.softgpu import open_device
from kernloop.softgpu.memory import HostRange, pages_of
from test_arguments import copy


def test_memory_goes_with_the_last_view():
    gc.collect()
    before = open_device().allocated_bytes
    x = kt.zeros(1000, np.float64)
    view = x[10:20].reshape(2, 5).T
    assert open_device().allocated_bytes == before + 8000
    del x
    assert open_device().allocated_bytes == before + 8000 and view.sum() == 0
    del view
    assert open_device().allocated_bytes == before


def test_much_more_than_there_is_of_it_passes_through():
    # 64 GiB in all, untouched.
    for _ in range(64):
        kt.empty(1 << 30, np.int8)


def test_empty_and_zero_dimensional_arrays():
    assert kt.zeros((0, 3)).shape == (0, 3) and kt.array(5.0).shape == ()
    out = kt.zeros(4, np.int32)
    copy[(0,)](kt.zeros(0, np.int32), out, 0, BLOCK=4)
    copy[(1,)](kt.zeros(0, np.int32), out, 0, BLOCK=4)
    with pytest.raises(TypeError, match="Python objects"):
        kt.array(np.array([None]))


def test_orders_and_copies():
    columns = kt.array(np.arange(6).reshape(2, 3), order="F")
    assert columns.strides == (8, 16) and columns.tolist() == [[0, 1, 2], [3, 4, 5]]
    twin = columns.copy()
    twin[0, 0] = 9
    assert columns[0, 0] == 0 and isinstance(twin, kt.DeviceArray)


def test_launches_of_many_threads():
    @triton.jit
    def add(x, out, value, N: tl.constexpr):
        tl.store(out + tl.arange(0, N), tl.load(x + tl.arange(0, N)) + value)

    failed = []

    def work(number):
        try:
            x = kt.array(np.arange(128, dtype=np.int32))
            for turn in range(20):
                out = kt.empty_like(x)
                add[(1,)](x, out, 16 * (number * 100 + turn), N=128)
                if not np.array_equal(out, x + 16 * (number * 100 + turn)):
                    failed.append((number, turn))
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


class Tensor:
    """As a CPU tensor of PyTorch is seen by a driver: in memory that nobody placed."""

    class device:
        type = "cpu"

    class Storage:
        def __init__(self, array):
            self.array = array

        def data_ptr(self):
            return self.array.ctypes.data

        def nbytes(self):
            return self.array.nbytes

    def __init__(self, array, offset=0):
        self.array, self.dtype, self._offset = array, array.dtype, offset

    def data_ptr(self):
        return self.array.ctypes.data + self._offset * self.array.itemsize

    def untyped_storage(self):
        return self.Storage(self.array)


def test_memory_of_the_process_is_reached_during_the_launch_only():
    source, out = np.arange(50_000, dtype=np.int32), np.zeros(50_000, np.int32)
    copy[(triton.cdiv(49_000, 256),)](Tensor(source, 1000), Tensor(out), 49_000, BLOCK=256)
    np.testing.assert_array_equal(out[:49_000], source[1000:])
    assert not out[49_000:].any()

    assert_out_of_reach(source)


@triton.jit
def follow(addresses, out):
    tl.store(out, tl.load(tl.load(addresses).to(tl.pointer_type(tl.int32))))


def assert_out_of_reach(memory):
    with pytest.raises(kt.DeviceFault, match="read of 4 bytes"):
        follow[(1,)](kt.array([memory.ctypes.data], np.int64), kt.zeros(1, np.int32))


def test_pages_are_unlocked_where_others_cannot_be_locked(monkeypatch):
    memory = np.zeros(1_000_000, np.int32)
    source, out = memory[:1000], memory[-1000:]
    runtime = open_device()._runtime
    call, locked = runtime.call, []

    def failing(name, *arguments):
        if name == "hsa_amd_memory_lock":
            if locked:
                raise KernloopError("DEVICE_UNAVAILABLE", "no more pages", "")
            locked.append(arguments[0])
        call(name, *arguments)

    monkeypatch.setattr(runtime, "call", failing)
    with pytest.raises(KernloopError, match="no more pages"):
        copy[(4,)](Tensor(source), Tensor(out), 1000, BLOCK=256)
    monkeypatch.undo()
    assert locked == [source.ctypes.data // 4096 * 4096]
    assert_out_of_reach(source)


def test_pages_that_meet_are_locked_once():
    assert pages_of([HostRange(8190, 4), HostRange(100, 10), HostRange(20_000, 0), HostRange(4096, 4096)]) == [HostRange(0, 12288)]
    assert pages_of([HostRange(4096, 1), HostRange(40_960, 4097)]) == [HostRange(4096, 4096), HostRange(40_960, 8192)]
