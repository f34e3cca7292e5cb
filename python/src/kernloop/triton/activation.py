"""Enables the driver."""

from __future__ import annotations

import os

from ..errors import KernloopError
from .versions import check_version

TARGETS = ("gfx90a", "gfx1030", "gfx942", "gfx1100")


def activate(target: str | None = None) -> None:
    """Runs Triton kernels of this process on the software GPU from now on: `target` (gfx90a, gfx1030, gfx942 or
    gfx1100), else KERNLOOP_SOFTGPU's, else gfx90a. Must be called before the first launch; repeated calls are
    allowed."""
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
        os.environ["KERNLOOP_SOFTGPU"] = target  # the runtime reads it when it is loaded
