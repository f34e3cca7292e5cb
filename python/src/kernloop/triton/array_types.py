"""Keeps types of ml_dtypes apart in Triton, which knows a type again by its hash: NumPy gives float8_e4m3fn, float8_e4m3fnuz,
float8_e5m2fnuz and int4 the same. A kernel for one of them would run on the bytes of another."""

from __future__ import annotations

import copy
from typing import Any


def distinguish_array_types() -> None:
    from triton.runtime import jit

    original = jit.native_specialize_impl
    if getattr(original, "kernloop_distinguishes", False):
        return

    def specialize(backend: Any, argument: Any, *rules: bool) -> Any:
        return original(backend, _with_named_types(argument), *rules)

    specialize.kernloop_distinguishes = True  # type: ignore[attr-defined]
    jit.native_specialize_impl = specialize


class _NamedType:
    """What Triton asks of a pointer. A name has a hash of its own, and Triton takes it for a type."""

    def __init__(self, array: Any) -> None:
        self.dtype = array.dtype.name
        self.data_ptr = array.data_ptr


def _with_named_types(argument: Any) -> Any:
    if isinstance(argument, tuple):
        named = tuple(_with_named_types(each) for each in argument)
        return argument._make(named) if hasattr(argument, "_make") else named
    if getattr(getattr(argument, "dtype", None), "kind", None) == "V" and hasattr(argument, "data_ptr"):
        return _NamedType(argument)
    base = getattr(argument, "base", None)
    if base is not None and hasattr(argument, "block_shape"):
        named_base = _with_named_types(base)
        if named_base is not base:
            argument = copy.copy(argument)
            argument.base = named_base
    return argument
