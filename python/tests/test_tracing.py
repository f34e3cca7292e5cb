"""Kernels that record events, on the software GPU: every field of every event is what the host computes, what does not fit is counted, and
nothing else changes."""

import ctypes
import dataclasses
import gc
import importlib
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import tracing_kernels as kernels
import triton
from triton.experimental.gluon import language as gl

import kernloop.tracing as iris
from kernloop.errors import KernloopError
from kernloop.softgpu import open_device
from kernloop.softgpu.queue import Queue
from kernloop.tracing.events import BUFFERS, OPEN

WARP = triton.runtime.driver.active.get_current_target().warp_size
LAYOUT = gl.BlockedLayout([1], [WARP], [4], [0])
N, BLOCK = 1000, 256  # the last program has a partial mask
PROGRAMS = triton.cdiv(N, BLOCK)
HEAP = 1 << 16


def arrays(rank, dtype=np.float32, n=N):
    x, out = rank.empty(n, dtype=dtype), rank.zeros(n, dtype=dtype)
    x[...] = np.arange(n) + 1000 * rank.cur_rank
    return x, out


def records(events, *names):
    """Of each event what is not the device's own: all fields but the times and the slot."""
    names = names or [name for name, _ in BUFFERS if name not in ("timestamp", "duration_cycles", "op_index")]
    return [tuple(int(events.columns[name][index]) for name in names) for index in range(events.kept)]


def expected_scatter(rank, out, world):
    """In Iris's order: event, program, m, n, from, to, XCC, CU, address, bytes."""
    return [
        (3, pid, pid * 3, 7 - target, rank, target, 0, 0, out.data_ptr() + 4 * pid * BLOCK, 4 * (min(N, (pid + 1) * BLOCK) - pid * BLOCK))
        for pid in range(PROGRAMS)
        for target in range(world)
    ]


def check_times_and_order(events, program=("pid",)):
    """Slots are numbered as the columns lie; a program's events begin and end one after the other."""
    assert [column.dtype.name for column in events.columns.values()] == [kind for _, kind in BUFFERS]
    assert list(events.columns) == [name for name, _ in BUFFERS]
    start, end = events.columns["timestamp"], events.columns["duration_cycles"]
    ended = end != OPEN
    assert (start > 0).all() and (start[ended] <= end[ended]).all()
    of = records(events, *program)
    for each in set(of):
        mine = np.array([other == each for other in of])
        assert (np.diff(events.columns["op_index"][mine]) > 0).all()
        assert (np.maximum(start, end)[mine][:-1] <= start[mine][1:]).all()


@pytest.mark.parametrize("claimed", [False, True], ids=["an atomic an event", "slots claimed at the start"])
def test_every_event_of_a_triton_kernel_is_what_the_host_computes(claimed):
    world = 3
    ranks = iris.iris_in_process(world, HEAP)
    work = [(rank, *arrays(rank)) for rank in ranks]
    for rank, x, out in work:
        rank.tracing.enable(max_events=100)
        arguments = (rank.get_device_context(), x, out, N, rank.cur_rank, world, BLOCK, True)
        if claimed:
            kernels.scatter_claimed[(PROGRAMS,)](*arguments, SLOTS=world)
        else:
            kernels.scatter[(PROGRAMS,)](*arguments)
        for _, _, theirs in work:
            np.testing.assert_array_equal(theirs, x)
    for rank, _, out in work:
        events = rank.tracing.events()
        assert (events.kept, events.dropped) == (PROGRAMS * world, 0)
        assert Counter(records(events)) == Counter(expected_scatter(rank.cur_rank, out, world))
        assert events.columns["op_index"].tolist() == list(range(events.kept))
        # Events of a program keep the order in which it records.
        for pid in range(PROGRAMS):
            assert events.columns["target_rank"][events.columns["pid"] == pid].tolist() == list(range(world))
        check_times_and_order(events)
        assert (events.rank, events.world_size, events.target) == (rank.cur_rank, world, f"amd-{open_device().target}")
        assert (events.clock.is_time, events.clock.source, events.host_ns) == (False, "softgpu", ())


@pytest.mark.parametrize("claimed", [False, True], ids=["an atomic an event", "slots claimed at the start"])
def test_every_event_of_a_gluon_kernel_is_what_the_host_computes(claimed):
    first, second = iris.iris_in_process(2, HEAP)
    for rank in (first, second):
        rank.tracing.enable(max_events=64)
    parts = [arrays(rank)[0] for rank in (first, second)]
    outs = [rank.zeros(2 * N, dtype=np.float32) for rank in (first, second)]
    for rank, part, out in zip((first, second), parts, outs, strict=True):
        if claimed:
            kernels.gather_claimed[(PROGRAMS,)](rank.get_device_context(), part, out, N, BLOCK, LAYOUT, TRACING=True)
        else:
            kernels.gather[(PROGRAMS,)](iris.IrisDeviceCtx, rank.get_device_context(), part, out, N, BLOCK, LAYOUT, TRACING=True)
    for rank, part, out in zip((first, second), parts, outs, strict=True):
        me, events = rank.cur_rank, rank.tracing.events()
        bytes_of = [4 * (min(N, (pid + 1) * BLOCK) - pid * BLOCK) for pid in range(PROGRAMS)]
        if claimed:
            np.testing.assert_array_equal(out[:N], parts[1 - me])
            wanted = [(2, pid, pid, 1, me, 1 - me, 0, 0, part.data_ptr() + 4 * pid * BLOCK, bytes_of[pid]) for pid in range(PROGRAMS)]
        else:
            np.testing.assert_array_equal(out, np.concatenate(parts))
            begin = out.data_ptr() + 4 * me * N
            wanted = [(3, pid, pid, 0, me, to, 0, 0, begin + 4 * pid * BLOCK, bytes_of[pid]) for pid in range(PROGRAMS) for to in (0, 1)]
        assert Counter(records(events)) == Counter(wanted) and events.dropped == 0
        check_times_and_order(events)


def test_blocks_of_two_dimensions_single_pointers_masks_of_one_and_events_that_never_end():
    m, n, tile = 24, 40, (16, 32)
    # The kernel says that there is one rank: where the buffers are is the context's to say.
    rank, _ = iris.iris_in_process(2, HEAP)
    rank.tracing.enable(max_events=64)
    x, out = rank.empty(m, n, dtype=np.int64), rank.zeros(2, dtype=np.int64)
    x[...] = np.arange(m * n).reshape(m, n)
    kernels.tiles[(2, 2)](rank.get_device_context(), x, out, m, n, *tile, TRACING=True)
    assert out.tolist() == [int(x[:16].sum()), int(x[16:].sum())]
    events = rank.tracing.events()
    wanted = {}
    for pid_m in range(2):
        for pid_n in range(2):
            inside = min(16, m - 16 * pid_m) * min(32, n - 32 * pid_n)
            wanted[1500, pid_m, pid_n] = (pid_n, 0, x.data_ptr() + 8 * (16 * pid_m * n + 32 * pid_n), 8 * inside)
            wanted[2047, pid_m, pid_n] = (pid_n, 5, out.data_ptr(), 0)
            wanted[2000, pid_m, pid_n] = (pid_n, 0, wanted[1500, pid_m, pid_n][2], 8 * 32 * min(16, m - 16 * pid_m))
            wanted[4095, pid_m, pid_n] = (pid_n, -1, out.data_ptr() + 8 * pid_m, 8 if pid_m < 1 else 0)
    names = ("event_id", "pid_m", "pid_n", "pid", "target_rank", "address", "payload_size")
    assert {each[:3]: each[3:] for each in records(events, *names)} == wanted and events.kept == len(wanted)
    # Open is not the same as of no length, and lengths are not negative.
    is_open = events.columns["duration_cycles"] == OPEN
    np.testing.assert_array_equal(is_open, np.isin(events.columns["event_id"], [2000, 2047]))
    check_times_and_order(events, ("pid", "pid_m"))


class Atomics:
    """How many atomic instructions the dispatches execute."""

    def __init__(self, monkeypatch):
        self.executed = 0
        run = Queue.run

        def counted(queue, *arguments):
            report = run(queue, *arguments)
            self.executed += report.atomics
            return report

        monkeypatch.setattr(Queue, "run", counted)

    def of(self, launch):
        before = self.executed
        launch()
        return self.executed - before


def test_an_event_costs_one_atomic_and_none_where_its_slot_is_claimed(monkeypatch):
    world, atomics = 3, Atomics(monkeypatch)
    rank, *_ = iris.iris_in_process(world, HEAP)
    x, out = arrays(rank)
    rank.tracing.enable(max_events=100)
    arguments = (rank.get_device_context(), x, out, N, 0, world, BLOCK)
    assert atomics.of(lambda: kernels.scatter[(PROGRAMS,)](*arguments, True)) == PROGRAMS * world
    assert atomics.of(lambda: kernels.scatter_claimed[(PROGRAMS,)](*arguments, True, SLOTS=world)) == PROGRAMS
    rank.tracing.disable()
    assert atomics.of(lambda: kernels.scatter[(PROGRAMS,)](*arguments, True)) == 0
    assert atomics.of(lambda: kernels.scatter_claimed[(PROGRAMS,)](*arguments, True, SLOTS=world)) == 0


def everything():
    """A copy of all device memory of this process."""
    gc.collect()
    return {base: np.frombuffer(ctypes.string_at(base, size), np.uint8) for base, size in open_device()._allocations.items()}


def changed(before, after):
    """Addresses of the bytes that differ."""
    assert before.keys() == after.keys()
    return {base + int(at) for base in before for at in np.flatnonzero(before[base] != after[base])}


def bytes_of(*arrays):
    return {array.data_ptr() + at for array in arrays for at in range(array.nbytes)}


OVERFLOWS = {"an atomic an event": None, "slots claimed at the start": 3, "fewer slots than events": 2}


@pytest.mark.parametrize("slots", OVERFLOWS.values(), ids=OVERFLOWS)
@pytest.mark.parametrize("already", [0, 2**31 - 20, 2**32 - 20], ids=["from zero", "over 2^31", "over 2^32"])
def test_ten_times_more_events_than_slots_are_counted_and_nothing_else_is_written(slots, already):
    world, programs = 3, 40  # of which most have nothing to put
    fits = world * programs // 10
    rank, *others = iris.iris_in_process(world, HEAP)
    x, out = arrays(rank)
    rank.tracing.enable(max_events=fits)
    # As after so many events of kernels before.
    rank.tracing.trace_counter[0] = already
    kept = [rank.tracing.trace_buffers[name] for name, _ in BUFFERS] if already == 0 else []
    before = everything()
    arguments = (rank.get_device_context(), x, out, N, 0, world, BLOCK, True)
    if slots is None:
        kernels.scatter[(programs,)](*arguments)
    else:
        kernels.scatter_claimed[(programs,)](*arguments, SLOTS=slots)
    theirs = [other.heap[out.data_ptr() - rank.heap.data_ptr() :][: out.nbytes] for other in others]
    expected = bytes_of(*kept, rank.tracing._arena[:2], out, *theirs)
    assert changed(before, everything()) <= expected
    events = rank.tracing.events()
    assert events.dropped == already + world * programs - fits
    assert events.kept == (fits if already == 0 else 0)
    assert len(set(records(events, "pid", "target_rank"))) == events.kept


def test_a_kernel_compiled_with_tracing_records_nothing_where_the_host_has_not_enabled_it():
    world = 2
    rank, other = iris.iris_in_process(world, HEAP)
    x, out = arrays(rank)
    context = rank.get_device_context()
    assert context.tolist() == [0, 2, rank.heap.data_ptr(), other.heap.data_ptr(), *[0] * 17]
    before = everything()
    for launch in (
        lambda: kernels.scatter[(PROGRAMS,)](context, x, out, N, 0, world, BLOCK, True),
        lambda: kernels.scatter_claimed[(PROGRAMS,)](context, x, out, N, 0, world, BLOCK, True, SLOTS=world),
        lambda: kernels.gather[(PROGRAMS,)](iris.IrisDeviceCtx, context, x, out, N, BLOCK, LAYOUT, TRACING=True),
        lambda: kernels.gather_claimed[(PROGRAMS,)](context, x, out, N, BLOCK, LAYOUT, TRACING=True),
    ):
        launch()
    heaps = bytes_of(out, other.heap[out.data_ptr() - rank.heap.data_ptr() :][: out.nbytes])
    assert changed(before, everything()) <= heaps
    # The same array tells it later, and no longer.
    rank.tracing.enable(max_events=7)
    pointers = [array.data_ptr() for array in rank.tracing.trace_buffers.values()]
    counters = [rank.tracing.trace_counter.data_ptr(), rank.tracing.op_index_counter.data_ptr()]
    assert rank.get_device_context() is context and context[4:].tolist() == [1, 7, *counters, *pointers]
    kernels.scatter[(1,)](context, x, out, N, 0, world, BLOCK, True)
    rank.tracing.disable()
    assert context[4:].tolist() == [0] * 17
    kernels.scatter[(1,)](context, x, out, N, 0, world, BLOCK, True)
    assert rank.tracing.events().kept == 2
    rank.tracing.reset()
    assert (rank.tracing.events().kept, rank.tracing.events().dropped) == (0, 0)


def test_what_is_recorded_is_also_what_the_checker_sees_nothing_wrong_in(tmp_path):
    """Reads of what nobody wrote, accesses past the end, races between programs: the claims of two programs are atomic."""
    folder = os.path.dirname(kernels.__file__)
    program = tmp_path / "program.py"
    program.write_text(
        f"""
import sys
sys.path.insert(0, {folder!r})
import kernloop.triton as kt
kt.activate()
import numpy as np, kernloop.tracing as iris, tracing_kernels as kernels
rank, _ = iris.iris_in_process(2, 1 << 16)
x, out = rank.ones(1000, dtype=np.float32), rank.zeros(1000, dtype=np.float32)
for slots in (0, 2):
    for fits in (5, 100):
        rank.tracing.enable(max_events=fits)
        arguments = (rank.get_device_context(), x, out, 1000, 0, 2, 256, True)
        kernels.scatter[(25,)](*arguments) if slots == 0 else kernels.scatter_claimed[(25,)](*arguments, SLOTS=slots)
        events = rank.tracing.events()
        print(events.kept, events.dropped)
"""
    )
    environment = {**os.environ, "KERNLOOP_SOFTGPU_CHECK": "all"}
    ran = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, env=environment, timeout=120)
    assert (ran.returncode, ran.stdout.split(), ran.stderr) == (0, ["5", "45", "50", "0"] * 2, "")


def test_what_the_host_cannot_do_is_said():
    rank = iris.iris(HEAP)
    for wrong in (0, -1, 2**31):
        with pytest.raises(KernloopError, match=f"max_events is {wrong}"):
            rank.tracing.enable(max_events=wrong)
    with pytest.raises(KernloopError, match="not enabled"):
        rank.tracing.events()
    with pytest.raises(MemoryError, match="heap of rank 0"):
        rank.zeros(HEAP, dtype=np.int16)
    rank.tracing.enable(max_events=1)
    rank.tracing.names[1023] = "put, but slower"
    with pytest.raises(KernloopError, match="event 1023 cannot be named"):
        rank.tracing.events()
    with pytest.raises(AttributeError, match="no_such"):
        iris.no_such


EXAMPLES = {
    "softmax": ["softmax: rank 0 of 1, largest error", "189 events, 0 dropped"],
    "all_gather": [f"all_gather: rank {rank} of 2, largest error 0.0e+00, 20 events, 0 dropped" for rank in (0, 1)],
    "gemm_all_scatter": [f"gemm_all_scatter: rank {rank} of 2" for rank in (0, 1)] + ["18 events, 0 dropped"],
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_are_right_and_leave_a_file(name, tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "examples" / "triton-tracing")
    importlib.import_module(name).main(filename=tmp_path / "trace.kevents")
    said = capsys.readouterr().out
    for wanted in EXAMPLES[name]:
        assert wanted in said
    assert (tmp_path / "trace.kevents").stat().st_size > 64


def test_importing_it_needs_neither_triton_nor_numpy():
    code = "import sys, kernloop.tracing as t; assert t.EVENT_IDS['put'] == 3; print(sorted({'numpy', 'torch', 'triton'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_events_are_a_frozen_record():
    rank = iris.iris(HEAP)
    rank.tracing.enable(max_events=3)
    rank.tracing.names[1500] = "mine"
    events = rank.tracing.events()
    assert events.event_names == {1500: "mine"} and events.device_name == "software GPU"
    with pytest.raises(dataclasses.FrozenInstanceError):
        events.kept = 1


def test_ids_of_the_kernel_are_those_of_the_host():
    kernel_ids = iris.TraceEvent()
    assert {name: getattr(kernel_ids, name).value for name in iris.EVENT_IDS} == iris.EVENT_IDS
