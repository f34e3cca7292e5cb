"""What becomes of a kernel that works in place when its records are counted first, on the program's own data, as Neutrino does with a
dynamic map: launched once to count and once more to trace. And what, when memory is put back in between. Values are exact.

    python3 counting_first.py saxpy|histogram CUBIN SYMBOL
"""

import ctypes
import json
import sys

kind, cubin, symbol = sys.argv[1:4]
cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    if code != 0:
        sys.exit(f"{name}: {code}")


def allocated(size):
    pointer = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
    return pointer


def write(pointer, values):
    call("cuMemcpyHtoD_v2", pointer, values, ctypes.c_size_t(ctypes.sizeof(values)))


def read(pointer, values):
    call("cuMemcpyDtoH_v2", values, pointer, ctypes.c_size_t(ctypes.sizeof(values)))
    return values


call("cuInit", 0)
context = ctypes.c_void_p()
device = ctypes.c_int()
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
module, function = ctypes.c_void_p(), ctypes.c_void_p()
with open(cubin, "rb") as file:
    call("cuModuleLoadData", ctypes.byref(module), file.read())
call("cuModuleGetFunction", ctypes.byref(function), module, symbol.encode())

n = 1 << 20
if kind == "saxpy":
    grid, block = n // 256, 256
    inputs = (ctypes.c_float * n)(*(float(i % 7) for i in range(n)))
    before = (ctypes.c_float * n)(*(float(i % 5) for i in range(n)))
    expected = [2.0 * (i % 7) + i % 5 for i in range(n)]
else:
    grid, block = 528, 256
    inputs = (ctypes.c_ubyte * n)(*(i * 7 % 256 for i in range(n)))
    before = (ctypes.c_uint * 256)(*([7] * 256))
    expected = [7 + n // 256] * 256
given, result = allocated(ctypes.sizeof(inputs)), allocated(ctypes.sizeof(before))
write(given, inputs)
units = grid * block
counts = allocated(units * 4)
records = allocated(64)


def launch(capacity):
    own = [ctypes.c_float(2.0), given, result, ctypes.c_int(n)] if kind == "saxpy" else [given, result, ctypes.c_int(n)]
    arguments = [*own, records, counts, ctypes.c_uint(capacity)]
    pointers = (ctypes.c_void_p * len(arguments))(*(ctypes.cast(ctypes.pointer(one), ctypes.c_void_p) for one in arguments))
    call("cuLaunchKernel", function, grid, 1, 1, block, 1, 1, 0, None, pointers, None)
    call("cuCtxSynchronize")


def wrong():
    values = read(result, type(before)())
    return sum(1 for value, right in zip(values, expected) if value != right)


found = {}
for restores in (False, True):
    write(result, before)
    launch(0)
    most = max(read(counts, (ctypes.c_uint * units)()))
    if restores:
        write(result, before)
    records = allocated(units * most * 16)
    launch(most)
    found["restored" if restores else "not restored"] = wrong()
print(json.dumps({"kernel": kind, "values": len(expected), "most_records": most, "wrong": found}))
