"""Files of Kernloop that are no modules of this package: in the package of a wheel, elsewhere in a checkout."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent


def folder_of(name: str) -> Path:
    """Folder `shim` or `reproducer`."""
    packaged = _HERE / f"_{name}"
    return packaged if packaged.exists() else _HERE.parents[1] / name
