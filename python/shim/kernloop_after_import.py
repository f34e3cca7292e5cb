"""Calls a function with a module once its own code has run, before anybody takes a name from it."""

import importlib.abc
import sys


class _AfterImport(importlib.abc.MetaPathFinder):
    """Finds one module as all others would."""

    def __init__(self, name, act):
        self._name = name
        self._act = act

    def find_spec(self, name, path=None, target=None):
        if name != self._name:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader = _Acting(spec.loader, self._act)
                return spec
        return None


class _Acting(importlib.abc.Loader):
    def __init__(self, loader, act):
        self._loader = loader
        self._act = act

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        # The module keeps the loader that it would have without us.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        try:
            self._act(module)
        except Exception:  # never the app's trouble
            pass


def after_import(name, act):
    sys.meta_path.insert(0, _AfterImport(name, act))
