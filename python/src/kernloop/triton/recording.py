"""Records an app's compilations and launches like `kernloop capture`, without capturing."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .._files import folder_of
from ..errors import KernloopError


def record(folder: str | os.PathLike[str]) -> None:
    """From now on each compilation of Triton in this process and its children writes a compile-*.json to the folder,
    and each distinct launch a launch-*.json. Must be called before Triton is imported."""
    place = Path(folder).resolve()
    if os.environ.get("KERNLOOP_TRITON_DIR", str(place)) != str(place):
        raise KernloopError(
            "USAGE", "what Triton compiles here is written down already, for a capture of this app", "leave the recording to it"
        )
    place.mkdir(parents=True, exist_ok=True)
    shim = str(folder_of("shim"))
    os.environ["KERNLOOP_TRITON_DIR"] = str(place)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [shim, os.environ.get("PYTHONPATH")]))
    sys.path.append(shim)
    import kernloop_triton_record

    kernloop_triton_record.wait(str(place))
