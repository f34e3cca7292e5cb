"""Says what to do where Triton finds no GPU, and the software GPU is there but was not activated."""

from __future__ import annotations

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_MODULE = "triton.runtime.driver"
_WORDS = "0 active drivers"


def explain_missing_driver() -> None:
    """Adds the next step to Triton's error, now or once Triton is imported."""
    module = sys.modules.get(_MODULE)
    if module is not None:
        _explain(module)
    elif not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


def _explain(module: ModuleType) -> None:
    original = getattr(module, "_create_driver", None)
    if original is None or getattr(original, "kernloop", False):
        return

    def create() -> Any:
        try:
            return original()
        except RuntimeError as error:
            # An error of this text makes a capture offer the software GPU, so the text stays in front.
            if not str(error).startswith(_WORDS) or "kernloop" in str(error):
                raise
            raise RuntimeError(
                f"{error} Triton found no GPU, and kernloop.triton is imported but not active: call kernloop.triton.activate() "
                "before the first launch, or run the program with `python3 -m kernloop.triton`, for the software GPU"
            ) from None

    create.kernloop = True  # type: ignore[attr-defined]
    module._create_driver = create  # type: ignore[attr-defined]


class _Finder(MetaPathFinder):
    """Finds one module as all others would, once."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != _MODULE:
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if hasattr(finder, "find_spec") else None
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = _Explaining(spec.loader)
                return spec
        return None


class _Explaining(Loader):
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # The module keeps the loader that it would have without us.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _explain(module)
