"""Products of 1024 x 1024 matrices by Triton on the software GPU: the time of a launch, by type and number of threads.

. python/.venv/bin/activate; KERNLOOP_SOFTGPU=gfx942 python3 bench/softgpu_gemm.py [--threads 1,2,4] [--rounds N]

The kernel is that of Triton's tutorial, with tiles of 128 x 128 x 64 and 4 waves. gfx942 has matrix instructions for
fp8 (E4M3). Each type and number of threads is a process of its own, and they take turns. Factors are small integers, so
that the result must equal NumPy's. Prints one JSON object with the least times.
"""

import argparse
import json
import os
import subprocess
import sys
import time

import ml_dtypes
import numpy as np

import kernloop.triton as kt

kt.activate()

import triton  # noqa: E402
import triton.language as tl  # noqa: E402

SIZE, LAUNCHES = 1024, 4
TYPES = {"fp16": np.float16, "fp8": ml_dtypes.float8_e4m3fnuz}


@triton.jit
def product(a, b, c, SIZE: tl.constexpr, TILE: tl.constexpr, DEPTH: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)
    depth = tl.arange(0, DEPTH)
    a_at = a + row[:, None] * SIZE + depth[None, :]
    b_at = b + depth[:, None] * SIZE + column[None, :]
    total = tl.zeros((TILE, TILE), tl.float32)
    for _ in range(0, SIZE, DEPTH):
        total = tl.dot(tl.load(a_at), tl.load(b_at), total)
        a_at += DEPTH
        b_at += DEPTH * SIZE
    tl.store(c + row[:, None] * SIZE + column[None, :], total)


def least_seconds(name: str) -> float:
    rng = np.random.default_rng(1)
    left, right = (rng.integers(-4, 5, (SIZE, SIZE)).astype(np.float32) for _ in range(2))
    a, b = (kt.array(values.astype(TYPES[name])) for values in (left, right))
    c = kt.zeros((SIZE, SIZE), np.float32)
    times = []
    for _ in range(1 + LAUNCHES):  # the first one compiles
        began = time.perf_counter()
        product[(SIZE // 128, SIZE // 128)](a, b, c, SIZE, 128, 64, num_warps=4)
        times.append(time.perf_counter() - began)
    if not np.array_equal(np.asarray(c), left @ right):
        raise SystemExit(f"softgpu_gemm: the product of {name} is wrong")
    return min(times[1:])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", default="1")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", choices=TYPES, help="measures this type alone, with the threads of the environment")
    options = parser.parse_args()
    if options.one:
        print(least_seconds(options.one))
        return
    threads = [int(count) for count in options.threads.split(",")]
    least: dict[tuple[str, int], float] = {}
    for _ in range(options.rounds):
        for count in threads:
            for name in TYPES:
                environment = {**os.environ, "KERNLOOP_SOFTGPU_THREADS": str(count)}
                command = [sys.executable, __file__, "--one", name]
                run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
                least[name, count] = min(least.get((name, count), float("inf")), float(run.stdout))
    rows = [
        {"type": name, "threads": count, "seconds": round(seconds, 4), "gflops": round(2 * SIZE**3 / seconds / 1e9, 1)}
        for (name, count), seconds in least.items()
    ]
    arch = triton.runtime.driver.active.get_current_target().arch
    print(json.dumps({"bench": "softgpu_gemm", "target": arch, "size": SIZE, "rows": rows}, indent=2))


if __name__ == "__main__":
    main()
