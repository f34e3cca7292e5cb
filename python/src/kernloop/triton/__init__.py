"""Triton on the software GPU: `python3 -m kernloop.triton app.py`, or in the app

    import kernloop.triton
    kernloop.triton.activate()

Kernels are then compiled for the software GPU and run on it, by Triton's own `kernel[grid](…)`. Arguments are arrays of this
module (NumPy arrays in its memory), or CPU tensors of PyTorch. See docs/triton.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import DeviceFault, KernloopError
from .activation import activate
from .missing_driver import explain_missing_driver

if TYPE_CHECKING:
    from .arrays import DeviceArray, array, empty, empty_like, zeros, zeros_like

__all__ = ["DeviceArray", "DeviceFault", "KernloopError", "activate", "array", "empty", "empty_like", "zeros", "zeros_like"]

explain_missing_driver()


def __getattr__(name: str) -> Any:
    # Imported lazily: only arrays need NumPy.
    if name in __all__:
        from . import arrays

        return getattr(arrays, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
