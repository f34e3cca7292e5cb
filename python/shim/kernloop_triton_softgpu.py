"""Gives Triton the software GPU where it finds no GPU, so that a program which knows nothing of Kernloop runs there. See docs/triton.md."""

import os
import sys

from kernloop_after_import import after_import

# Beside this folder in the npm package and in a checkout.
_source = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "src")


def _serve(module):
    """`module` is triton.runtime.driver."""
    original = module._create_driver

    def create():
        try:
            return original()
        except RuntimeError as error:
            if not str(error).startswith("0 active drivers"):
                raise
            no_gpu = error
        driver = _softgpu_driver()
        if driver is None:
            raise no_gpu
        return driver()

    module._create_driver = create


def _softgpu_driver():
    """The driver of the package that the app's Python has, else of ours; None without either."""
    try:
        import kernloop.triton  # noqa: F401
    except ImportError:
        if not os.path.isdir(os.path.join(_source, "kernloop", "triton")):
            return None
        sys.path.append(_source)
    import triton
    from kernloop.triton.versions import check_version

    check_version(triton.__version__)
    from kernloop.triton.driver import SoftgpuDriver

    return SoftgpuDriver


def wait():
    after_import("triton.runtime.driver", _serve)
