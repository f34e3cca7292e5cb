"""NumPy arrays in the memory of the software GPU: what a kernel takes for a pointer."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..softgpu import open_device


class DeviceArray(np.ndarray):
    """A NumPy array like any other, whose bytes lie in device memory. Its views do, too, and are pointers to their first
    element; what NumPy computes from it is an ordinary array, which `array` places."""

    is_cuda = False  # asked by triton.reinterpret

    def data_ptr(self) -> int:
        return int(self.ctypes.data)

    def __array_wrap__(self, result: Any, context: Any = None, return_scalar: bool = False) -> Any:
        plain = np.asarray(result)
        return plain[()] if return_scalar else plain

    def copy(self, order: Any = "C") -> DeviceArray:
        return array(self, order=order)

    # As Triton's autotuner asks for reset_to_zero and restore_value.
    def clone(self) -> DeviceArray:
        return array(self)

    def copy_(self, source: npt.ArrayLike) -> DeviceArray:
        self[...] = source
        return self

    def zero_(self) -> DeviceArray:
        self[...] = 0
        return self


def empty(shape: Any, dtype: Any = np.float32, order: Any = "C") -> DeviceArray:
    """Uninitialised, as `numpy.empty` is."""
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
