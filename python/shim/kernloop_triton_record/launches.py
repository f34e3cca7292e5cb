"""What a kernel is launched with: the views of tensors, so that they can be made again exactly; once for each distinct launch."""

import json
import os
import re
import sys

from .autotuner import tell_winners
from .grid import describe_grid
from .values import expression

# Distinct launches of one compiled kernel; an app that goes beyond them is not watched any longer.
MAX_LAUNCHES = 4096

# Before the arguments: the grid, stream, function, packed metadata, launch metadata and two hooks (python/triton/runtime/jit.py, 3.5 to 3.8).
_LEADING = 9


def _is_selected(name):
    """Kernels that no selection of `kernloop capture` wants cost nothing at all."""
    patterns = os.environ.get("KERNLOOP_TRITON_MATCH")
    if patterns is None:
        return True
    for pattern in json.loads(patterns):
        try:
            if re.search(pattern, name):
                return True
        except re.error:  # ECMAScript has more than Python
            return True
    return False


def observe(kernel, digest, store):
    if getattr(kernel.src, "fn", None) is None or not _is_selected(kernel.name):
        return
    observer = _Observer(kernel, digest, store)
    # Of this object alone: `run` is a property in some versions and an attribute that is made on first use in others.
    base = type(kernel)

    def __getattribute__(self, name):
        value = base.__getattribute__(self, name)
        return observer.around(value) if name == "run" else value

    kernel.__class__ = type(base.__name__, (base,), {"__getattribute__": __getattribute__, "__module__": base.__module__})


class _Observer:
    def __init__(self, kernel, digest, store):
        self._digest = digest
        self._store = store
        self._name = kernel.name
        self._parameters = [parameter.name for parameter in kernel.src.fn.params]
        self._types = kernel.src.signature
        self._seen = set()
        self._launcher = None
        self._wrapper = None

    def around(self, launcher):
        if launcher is self._launcher:
            return self._wrapper

        def run(*args, **kwargs):
            if len(self._seen) < MAX_LAUNCHES:
                try:
                    self._see(args)
                except Exception as error:  # never the app's trouble
                    self._fail(error)
            return launcher(*args, **kwargs)

        self._launcher, self._wrapper = launcher, run
        return run

    def _fail(self, error):
        self._seen.update(range(MAX_LAUNCHES))
        note = {"schema": "kernloop.triton-note/1", "kernel": self._name, "failed": f"{type(error).__name__}: {error}"}
        self._store.put("note", note)

    def _see(self, args):
        values = args[_LEADING:]
        # What reaches the kernel: other views of the same memory are the same launch to it.
        key = (*args[:3], *[value.data_ptr() if hasattr(value, "data_ptr") else value for value in values])
        try:
            if key in self._seen:
                return
        except TypeError:  # a list among them
            key = repr(key)
            if key in self._seen:
                return
        self._seen.add(key)
        names = self._parameters
        if len(values) != len(names):
            names = [name for name in names if self._types[name] != "constexpr"]
        if len(values) != len(names):
            raise ValueError(f"{len(values)} arguments for {len(names)} parameters")
        arguments = [_describe(name, value) for name, value in zip(names, values)]
        grid = [int(extent) for extent in args[:3]]
        grid_function, autotuner = _caller(sys._getframe(2))
        if autotuner is not None:
            tell_winners(autotuner, self._name, self._store)
        launch = {
            "schema": "kernloop.triton-launch/1",
            "code_object": self._digest,
            "process": os.getpid(),
            "grid": grid,
            "grid_function": describe_grid(grid_function),
            "autotuned": autotuner is not None,
            "arguments": arguments,
        }
        self._store.put("launch", launch)


def _caller(frame):
    """
    What the app put between the brackets of `kernel[grid](…)`, and the Autotuner that it went through: variables of Triton's own
    frames above this one.
    """
    grid = autotuner = None
    for _ in range(24):
        if frame is None:
            break
        if grid is None and callable(frame.f_locals.get("grid")):
            grid = frame.f_locals["grid"]
        owner = frame.f_locals.get("self")
        if autotuner is None and type(owner).__name__ == "Autotuner" and hasattr(owner, "cache"):
            autotuner = owner
        frame = frame.f_back
    return grid, autotuner


def _describe(name, value):
    if hasattr(value, "data_ptr"):
        return {"name": name, "tensor": _tensor(value)}
    return {"name": name, "value": expression(value)}


def _tensor(value):
    """In elements; a storage is the whole allocation that the tensor is a view of, as far as its library tells."""
    shape = [int(extent) for extent in getattr(value, "shape", ())]
    pointer = int(value.data_ptr())
    tensor = {"dtype": str(value.dtype).split(".")[-1], "shape": shape, "pointer": hex(pointer), "kind": type(value).__module__.split(".")[0]}
    if callable(getattr(value, "stride", None)):  # PyTorch
        storage = value.untyped_storage()
        return tensor | {
            "strides": [int(stride) for stride in value.stride()],
            "offset": int(value.storage_offset()),
            "storage": {"pointer": hex(storage.data_ptr()), "bytes": int(storage.nbytes())},
        }
    if hasattr(value, "strides") and hasattr(value, "itemsize"):  # NumPy counts bytes
        return tensor | _numpy_view(value, pointer)
    return tensor


def _numpy_view(value, pointer):
    size = int(value.itemsize)
    root = value
    while getattr(root, "base", None) is not None and hasattr(root.base, "nbytes") and hasattr(root.base, "data_ptr"):
        root = root.base
    start = int(root.data_ptr())
    if any(int(stride) % size for stride in value.strides) or (pointer - start) % size:
        return {"strides": None, "byte_strides": [int(stride) for stride in value.strides]}
    return {
        "strides": [int(stride) // size for stride in value.strides],
        "offset": (pointer - start) // size,
        "storage": {"pointer": hex(start), "bytes": int(root.nbytes)},
    }
