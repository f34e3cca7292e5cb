"""Where the examples run: under torchrun a rank is a process with a GPU of its own; else all ranks are in this process, on its GPUs or on the
software GPU."""

import os

import numpy as np

import kernloop.tracing as iris


def ranks(world_size, heap_size):
    if "RANK" not in os.environ:
        return iris.iris_in_process(world_size, heap_size)
    import torch

    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch.distributed.init_process_group("gloo")
    return [iris.iris(heap_size)]


def placed(rank, values):
    """A copy in the heap of the rank."""
    array = rank.empty(values.shape, dtype=values.dtype.name)
    if isinstance(array, np.ndarray):
        array[...] = values
    else:
        import torch

        array.copy_(torch.from_numpy(values))
    return array


def fetched(array):
    return np.asarray(array) if isinstance(array, np.ndarray) else array.cpu().numpy()


def report(name, rank, wrong):
    """Says what was recorded."""
    events = rank.tracing.events()
    print(f"{name}: rank {rank.cur_rank} of {rank.num_ranks}, largest error {wrong:.1e}, {events.kept} events, {events.dropped} dropped")
    if not wrong < 1e-2:
        raise SystemExit(f"{name} is wrong")


def export(every, filename):
    """One file of all ranks, for `kernloop trace export`."""
    if filename is None:
        return
    if len(every) == every[0].num_ranks:
        iris.write_ranks(filename, [rank.tracing.events() for rank in every])
    else:
        every[0].tracing.export(filename, merge=True)
