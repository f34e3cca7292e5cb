"""Finds the library of the software GPU."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ..errors import KernloopError

RUNTIME = "libhsa-runtime64.so.1"
# Exists only beside the software GPU's runtime (lib/native/native-products.json).
COMPANION = "libkernloop-hip.so"
# Path in a wheel (tools/packages/wheel.mjs).
OWN = Path(__file__).resolve().parents[1] / "_native" / "lib" / "softgpu"
PACKAGE = Path("node_modules", "@kernloop", "native-linux-x64")


def find_runtime() -> str:
    """First match of: the dynamic linker's path (set by the stages of Kernloop), KERNLOOP_NATIVE_DIR, this package if
    it is a wheel, its checkout, and @kernloop/native-* in a node_modules at or above the working directory."""
    named = os.environ.get("KERNLOOP_NATIVE_DIR")
    if named and not _is_softgpu(folder := Path(named, "lib", "softgpu")):
        raise KernloopError(
            "ENVIRONMENT_NATIVE_MISSING",
            f"KERNLOOP_NATIVE_DIR is {named}, and there is no software GPU in {folder}",
            "point KERNLOOP_NATIVE_DIR at a complete native build of Kernloop, or unset it",
        )
    for folder in _folders():
        if _is_softgpu(folder):
            return str((folder / RUNTIME).resolve())
    raise KernloopError(
        "ENVIRONMENT_NATIVE_MISSING",
        "the library of the software GPU was not found: not in LD_LIBRARY_PATH, not in KERNLOOP_NATIVE_DIR, not in this package, and in no "
        "node_modules at or above the working directory",
        "install the wheel of Kernloop for this machine, run `npm install kernloop` in the workspace, or set KERNLOOP_NATIVE_DIR to the native/build of a checkout",
    )


def _is_softgpu(folder: Path) -> bool:
    return (folder / RUNTIME).exists() and (folder / COMPANION).exists()


def _folders() -> Iterator[Path]:
    for entry in os.environ.get("LD_LIBRARY_PATH", "").split(":"):
        if entry:
            yield Path(entry)
    if named := os.environ.get("KERNLOOP_NATIVE_DIR"):
        yield Path(named, "lib", "softgpu")
    yield OWN
    # This file is python/src/kernloop/softgpu/library.py.
    yield Path(__file__).resolve().parents[4] / "native" / "build" / "lib" / "softgpu"
    here = Path.cwd()
    for folder in (here, *here.parents):
        yield folder / PACKAGE / "lib" / "softgpu"
