"""Launches the two probed kernels of ways.cu and holds what the probes of once.toml left against what the host computes (gpu-probed-ways.mjs)."""

import ctypes
import os
import struct
cuda = ctypes.CDLL("libcuda.so.1")
def call(name, *a):
    c = getattr(cuda, name)(*a)
    assert c == 0, (name, c)
call("cuInit", 0); ctx = ctypes.c_void_p(); dev = ctypes.c_int(); call("cuDeviceGet", ctypes.byref(dev), 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(ctx), dev); call("cuCtxSetCurrent", ctx)
def alloc(n):
    p = ctypes.c_uint64(); call("cuMemAlloc_v2", ctypes.byref(p), ctypes.c_size_t(n)); call("cuMemsetD8_v2", p, 0, ctypes.c_size_t(n)); return p
def read(p, fmt, n):
    b = ctypes.create_string_buffer(n * struct.calcsize(fmt)); call("cuMemcpyDtoH_v2", b, p, ctypes.c_size_t(len(b))); return list(struct.unpack(f"<{n}{fmt}", b.raw[:n * struct.calcsize(fmt)]))
ok = True
def hold(what, a, b):
    global ok
    ok &= a == b
    print(f"{what}: {'as the host says' if a == b else f'WRONG: {str(a)[:200]} against {str(b)[:200]}'}")
for kernel in ("calls", "ways"):
    mod, fn = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuModuleLoadData", ctypes.byref(mod), open(os.path.join(os.path.dirname(os.path.abspath(__file__)), kernel + ".cubin"), "rb").read()); call("cuModuleGetFunction", ctypes.byref(fn), mod, kernel.encode())
    grid, block, n = 7, 40, 7 * 40 - 13
    T, W = grid * block, grid * 2
    xs = [float((i * 5) % 11) for i in range(T + 64)]
    x, y = alloc(4 * len(xs)), alloc(4 * T)
    call("cuMemcpyHtoD_v2", x, (ctypes.c_float * len(xs))(*xs), ctypes.c_size_t(4 * len(xs)))
    m = {"Loads": (alloc(T * 24 + 8), alloc(T * 4)), "Groups": (alloc(W * 16 + 8), alloc(W * 8)), "Ends": (alloc(W * 32 + 8), alloc(W * 8)), "Bytes": (alloc(T * 8 + 8), alloc(T * 4))}
    exits = alloc(W * 4)
    args = [y, x, ctypes.c_int(n)] + [p for pair in m.values() for p in pair] + [exits]
    ptrs = (ctypes.c_void_p * len(args))(*(ctypes.cast(ctypes.pointer(a), ctypes.c_void_p) for a in args))
    call("cuLaunchKernel", fn, grid, 1, 1, block, 1, 1, 0, None, ptrs, None); call("cuCtxSynchronize")
    loads, result = [], []
    for i in range(T):
        r = i % block % 3
        if i >= n: l, v = [], 0.0
        elif kernel == "calls":
            l = [i + k for k in range((i & 3) + 1)] + [i + 1 + k for k in range(((i + 1) & 3) + 1)]; v = sum(xs[j] for j in l)
        else:
            l = [i + k for k in range(r * 5)]; v = 0.0 if r == 0 else sum(xs[j] for j in l) * r
        loads.append(l); result.append(v)
    print(kernel)
    hold("  result", read(y, "f", T), result)
    hold("  loads of each thread, in functions", read(m["Loads"][1], "I", T), [len(l) for l in loads])
    hold("  the first three addresses of each, and nothing beside", read(m["Loads"][0], "Q", T * 3 + 1), [a for l in loads for a in ([x.value + 4 * j for j in l[:3]] + [0] * 3)[:3]] + [0])
    hold("  bytes of each thread, at whichever end", read(m["Bytes"][0], "Q", T + 1), [4 * len(l) for l in loads] + [0])
    hold("  ends of each warp, partial ones too", read(m["Ends"][1], "Q", W), [1] * W)
    ends = read(m["Ends"][0], "Q", W * 4 + 1)
    hold("  one record each", [v != 0 for v in ends], ([True] + [False] * 3) * W + [False])
    groups = read(m["Groups"][1], "Q", W)
    total = [sum(len(loads[b * block + t]) for t in range(w * 32, min(block, w * 32 + 32))) for b in range(grid) for w in range(2)]
    least = [max([len(loads[b * block + t]) for t in range(w * 32, min(block, w * 32 + 32))]) for b in range(grid) for w in range(2)]
    hold("  groups of lanes: at least as many as the longest lane's loads, at most all", [l <= g <= t for l, g, t in zip(least, groups, total)], [True] * W)
    saved = read(m["Groups"][0], "Q", W * 2 + 1)
    hold("  two records of each at most, and nothing beside", [v != 0 for v in saved], [k < g for g in groups for k in range(2)] + [False])
    print("  groups", groups)
print("ok" if ok else "NOT OK")
