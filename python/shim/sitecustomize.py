"""Loaded by Python's `site` at the start of every process of a profiled or captured app, whose PYTHONPATH names this folder.

Does nothing but wait for Triton; an app that never imports it pays for one small module. The app's own sitecustomize, which this
one stands before, is run as if this one were not there.
"""

import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))


def _wait_for_triton():
    folder = os.environ.get("KERNLOOP_TRITON_DIR")
    if not folder or not os.path.isdir(folder):
        return
    import kernloop_triton_record

    kernloop_triton_record.wait(folder)


def _offer_softgpu():
    if not os.environ.get("KERNLOOP_TRITON_SOFTGPU"):
        return
    import kernloop_triton_softgpu

    kernloop_triton_softgpu.wait()


def _run_the_next():
    import importlib.machinery
    import importlib.util

    rest = [path for path in sys.path if os.path.abspath(path or os.getcwd()) != _here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


for _work in (_wait_for_triton, _offer_softgpu):
    try:
        _work()
    except Exception:  # never the app's trouble
        pass
_run_the_next()
