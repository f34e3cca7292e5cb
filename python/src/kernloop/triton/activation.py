"""Switching the driver on."""

from __future__ import annotations

import os

from ..errors import KernloopError
from .versions import check_version

TARGETS = ("gfx90a", "gfx1030", "gfx942", "gfx1100")


def activate(target: str | None = None) -> None:
    """From now on Triton's kernels of this process run on the software GPU: gfx90a, gfx1030, gfx942 or gfx1100, the one that is given, or
    that KERNLOOP_SOFTGPU names, else gfx90a. Before the first launch, and more than once if need be."""
    _choose(target)
    try:
        import triton
    except ImportError as error:
        raise KernloopError(
            "ENVIRONMENT_TRITON_MISSING",
            f"Triton cannot be imported: {error}",
            "pip install 'triton==3.6.*' numpy, in the environment of the app",
        ) from error
    check_version(triton.__version__)
    from .driver import SoftgpuDriver

    active = triton.runtime.driver._active
    if not isinstance(active, SoftgpuDriver):
        triton.runtime.driver.set_active(SoftgpuDriver())
        active = triton.runtime.driver.active
    if target is not None and active.device.target != target:
        raise KernloopError(
            "USAGE",
            f"the software GPU of this process is {active.device.target} already: it cannot become {target}",
            "choose one target a process",
        )


def _choose(target: str | None) -> None:
    chosen = target or os.environ.get("KERNLOOP_SOFTGPU") or TARGETS[0]
    if chosen not in TARGETS:
        raise KernloopError("UNSUPPORTED_TARGET", f"the software GPU knows no target {chosen!r}", f"use one of {', '.join(TARGETS)}")
    if target is not None:
        os.environ["KERNLOOP_SOFTGPU"] = target  # which the runtime reads when it is loaded
