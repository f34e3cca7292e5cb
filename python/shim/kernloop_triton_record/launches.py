"""What a kernel is launched with: the views of tensors, so that they can be made again exactly; of captured launches, or of distinct ones."""

import functools
import hashlib
import json
import os
import re
import sys

from .autotuner import tell_winners
from .grid import describe_grid, inductor_grid
from .tensors import describe_argument
from .watch import LEADING, Everything, after_captures, captures_begun, each_distinct

# Distinct launches of one compiled kernel; an app that goes beyond them is not watched any longer.
MAX_LAUNCHES = 4096


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


def observe(compiler, store):
    """
    Launchers are made where the code is loaded, once for each compiled kernel, whoever compiled it: TorchInductor compiles in processes of
    its own and makes the kernel again from what these send.
    """
    kind = compiler.CompiledKernel
    original = kind._init_handles

    @functools.wraps(original)
    def _init_handles(self):
        if self.module is not None:
            return
        original(self)
        try:
            signature = getattr(self.src, "signature", None)
            if getattr(self.src, "fn", None) is None or not isinstance(signature, dict) or not _is_selected(self.name):
                return
            _Observer(self, signature, store)
        except Exception as error:  # never the app's trouble
            _note(store, self.name, error)

    kind._init_handles = _init_handles


def _note(store, name, error):
    try:
        store.put("note", {"schema": "kernloop.triton-note/1", "kernel": str(name), "failed": f"{type(error).__name__}: {error}"})
    except Exception:
        pass


class _Observer:
    def __init__(self, kernel, signature, store):
        self._digest = hashlib.sha256(kernel.kernel).hexdigest()
        self._store = store
        self._name = kernel.name
        self._types = signature
        self._seen = set()
        begun = captures_begun() if kernel.metadata.target.backend == "cuda" else None
        # `run` of a kernel gives this one; a class without it is one of a version that is not known.
        if begun is not None:
            kernel._run, self._scope = after_captures(kernel._run, begun, self._captured)
        else:
            kernel._run, self._scope = each_distinct(kernel._run, list(signature.values()), self._seen, self._see)

    def _captured(self, args):
        try:
            self._tell(args)
        except Exception as error:  # never the app's trouble
            _note(self._store, self._name, error)

    def _see(self, args, key):
        self._seen.add(key)
        try:
            self._tell(args)
        except Exception as error:  # never the app's trouble
            self._scope["seen"] = Everything()
            _note(self._store, self._name, error)
        if len(self._seen) >= MAX_LAUNCHES:
            self._scope["seen"] = Everything()

    def _tell(self, args):
        values = args[LEADING:]
        names = list(self._types)
        if len(values) != len(names):
            names = [name for name in names if self._types[name] != "constexpr"]
        if len(values) != len(names):
            raise ValueError(f"{len(values)} arguments for {len(names)} parameters")
        grid, autotuner = _caller(sys._getframe(3))
        if autotuner is not None:
            tell_winners(autotuner, self._name, self._store)
        launch = {
            "schema": "kernloop.triton-launch/1",
            "code_object": self._digest,
            "process": os.getpid(),
            "grid": [int(extent) for extent in args[:3]],
            "grid_function": grid,
            "autotuned": autotuner is not None,
            "arguments": [describe_argument(name, value) for name, value in zip(names, values)],
        }
        self._store.put("launch", launch)


def _caller(frame):
    """
    What the app put between the brackets of `kernel[grid](…)`, as text, and the Autotuner that it went through: variables of Triton's own
    frames above this one, or of TorchInductor's.
    """
    grid = inductor = autotuner = None
    for _ in range(24):
        if frame is None:
            break
        if grid is None and callable(frame.f_locals.get("grid")):
            grid = frame.f_locals["grid"]
        owner = frame.f_locals.get("self")
        inductor = inductor or inductor_grid(owner)
        if autotuner is None and type(owner).__name__ == "Autotuner" and hasattr(owner, "cache"):
            autotuner = owner
        frame = frame.f_back
    return (inductor if grid is None and inductor else describe_grid(grid)), autotuner
