"""python3 -m kernloop.reproducer [FOLDER] [OPTIONS…]: runs reproducer.py of a Triton kernel, like `python3
FOLDER/reproducer.py`, but also without a copy of kernloop_reproducer.py."""

from __future__ import annotations

import importlib.util
import os
import runpy
import sys
from pathlib import Path

from ._files import folder_of

RUNTIME = "kernloop_reproducer"


def main(words: list[str]) -> None:
    folder = Path(words[0] if words and not words[0].startswith("-") else ".").resolve()
    script = folder / "reproducer.py"
    if not script.exists():
        sys.exit(f"kernloop.reproducer: there is no reproducer.py in {folder}: name the folder of a Triton kernel that `kernloop extract` made")
    if not (folder / f"{RUNTIME}.py").exists():
        _lend(folder)
    sys.argv = [str(script), *(words if words[:1] and words[0].startswith("-") else words[1:])]
    sys.path[0] = str(folder)
    runpy.run_path(os.fspath(script), run_name="__main__")


def _lend(folder: Path) -> None:
    spec = importlib.util.spec_from_file_location(RUNTIME, folder_of("reproducer") / f"{RUNTIME}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[RUNTIME] = module
    spec.loader.exec_module(module)
    module.stand_in(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
