"""The Python package of Kernloop. Importing it does nothing; `Kernloop` is loaded on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._version import VERSION
from .errors import KernloopError

if TYPE_CHECKING:
    from .client import Kernloop

__all__ = ["Kernloop", "KernloopError"]
__version__ = VERSION


def __getattr__(name: str) -> Any:
    if name == "Kernloop":
        from .client import Kernloop

        return Kernloop
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
