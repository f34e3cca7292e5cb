"""NumPy arrays in the memory of the software GPU, which kernels take as pointers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..softgpu import open_device


class DeviceArray(np.ndarray):
    """A NumPy array whose bytes are in device memory. Its views are, too, and serve as pointers to their first element;
    results of NumPy operations are ordinary arrays, which `array` copies to device memory."""

    is_cuda = False  # triton.reinterpret reads it

    def data_ptr(self) -> int:
        return int(self.ctypes.data)

    def __array_wrap__(self, result: Any, context: Any = None, return_scalar: bool = False) -> Any:
        plain = np.asarray(result)
        return plain[()] if return_scalar else plain

    def copy(self, order: Any = "C") -> DeviceArray:
        return array(self, order=order)

    # Called by Triton's autotuner for reset_to_zero and restore_value.
    def clone(self) -> DeviceArray:
        return array(self)

    def copy_(self, source: npt.ArrayLike) -> DeviceArray:
        self[...] = source
        return self

    def zero_(self) -> DeviceArray:
        self[...] = 0
        return self


def empty(shape: Any, dtype: Any = np.float32, order: Any = "C") -> DeviceArray:
    """Uninitialised, like `numpy.empty`."""
    kind = np.dtype(dtype)
    if kind.hasobject:
        raise TypeError(f"{kind} holds Python objects, which a kernel cannot read")
    shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    size = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    memory: Any = open_device().allocate(size)
    return DeviceArray(shape, kind, buffer=memory, order=order)


def zeros(shape: Any, dtype: Any = np.float32, order: Any = "C") -> DeviceArray:
    return empty(shape, dtype, order).zero_()


def array(values: npt.ArrayLike, dtype: Any = None, order: Any = "C") -> DeviceArray:
    """A copy in device memory."""
    source = np.asarray(values)
    return empty(source.shape, dtype or source.dtype, order).copy_(source)


def empty_like(other: npt.ArrayLike, dtype: Any = None) -> DeviceArray:
    like = np.asarray(other)
    return empty(like.shape, dtype or like.dtype)


def zeros_like(other: npt.ArrayLike, dtype: Any = None) -> DeviceArray:
    return empty_like(other, dtype).zero_()
