"""Launches of a small Triton kernel, timed in turns: one process of several, of which one runs at a time.

triton_turns.py FOLDER PLACE PROCESSES TURNS. Turns are handed on through FIFOs in the folder. Prints the nanoseconds a launch of each own
turn; where Kernloop's recorder stands before the launcher, also what a launch takes less without it in the same process.
"""

import os
import signal
import sys
import time

import torch
import triton
import triton.language as tl

LAUNCHES = 1000


@triton.jit
def softmax(out, x, out_stride, x_stride, columns, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    values = tl.load(x + tl.program_id(0) * x_stride + at, mask=at < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + tl.program_id(0) * out_stride + at, powers / tl.sum(powers, axis=0), mask=at < columns)


def main(folder, place, processes, turns):
    x = torch.randn(64, 60, device="cuda")
    out = torch.empty_like(x)

    def launch(times):
        started = time.perf_counter_ns()
        for _ in range(times):
            softmax[(64,)](out, x, 60, 60, 60, BLOCK=64)
        taken = time.perf_counter_ns() - started
        torch.cuda.synchronize()
        return taken / times

    launch(LAUNCHES)
    assert torch.allclose(out, torch.softmax(x, 1), atol=1e-6)
    [kernel] = [kernel for caches in softmax.device_caches.values() for kernel in caches[0].values()]
    recorded = kernel._run
    plain = getattr(recorded, "__globals__", {}).get("launch")
    hands = [os.open(os.path.join(folder, f"turn-{index}"), os.O_RDWR) for index in range(processes)]
    # Cores differ, too.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print("ready", flush=True)
    for turn in range(turns):
        os.read(hands[place], 1)
        launch(LAUNCHES // 5)
        print(f"turn {launch(LAUNCHES):.1f}", flush=True)
        if plain is not None:
            # The launcher as Triton made it, before and after by turns.
            takes = []
            for runs in (recorded, plain.__self__) if turn % 2 else (plain.__self__, recorded):
                kernel._run = runs
                takes.append(launch(LAUNCHES))
            kernel._run = recorded
            print(f"recorder {takes[0] - takes[1] if turn % 2 else takes[1] - takes[0]:.1f}", flush=True)
        os.write(hands[(place + 1) % processes], b".")


if __name__ == "__main__":
    # If another process has ended, its turn never ends.
    signal.alarm(180)
    main(sys.argv[1], *map(int, sys.argv[2:5]))
