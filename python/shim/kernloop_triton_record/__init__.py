"""Records what Triton compiles and launches in this process, for `kernloop capture`. See docs/triton.md."""

import importlib.abc
import importlib.util
import sys

_compiler = "triton.compiler.compiler"


class _AfterImport(importlib.abc.MetaPathFinder):
    """Finds one module as all others would, and has it recorded once its own code has run, before anybody takes a name from it."""

    def __init__(self, folder):
        self._folder = folder

    def find_spec(self, name, path=None, target=None):
        if name != _compiler:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader = _Recording(spec.loader, self._folder)
                return spec
        return None


class _Recording(importlib.abc.Loader):
    def __init__(self, loader, folder):
        self._loader = loader
        self._folder = folder

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
            from . import compilations

            compilations.install(module, self._folder)
        except Exception:  # never the app's trouble: that nothing was recorded is told by the stage
            pass


def wait(folder):
    sys.meta_path.insert(0, _AfterImport(folder))
