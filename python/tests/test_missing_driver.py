"""A program that imports kernloop.triton and does not activate it, or passes what no kernel takes, is told what to do."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

SHIM = Path(__file__).resolve().parents[1] / "shim"

BODY = """
import numpy as np, triton, triton.language as tl

@triton.jit
def double(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), 2 * tl.load(x + tl.arange(0, N)))

x = np.arange(4, dtype=np.int32)
"""


def run(text: str, folder: Path, *flags: str, **variables: str) -> subprocess.CompletedProcess[str]:
    (folder / "app.py").write_text(textwrap.dedent(text))
    without = {name: value for name, value in os.environ.items() if name != "KERNLOOP_TRITON_SOFTGPU"}
    return subprocess.run(
        [sys.executable, *flags, "app.py"], cwd=folder, env={**without, **variables}, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("before", ["import kernloop.triton\n", "import triton.runtime.driver\nimport kernloop.triton\n"])
def test_an_import_alone_is_told_to_activate(before: str, tmp_path: Path) -> None:
    ended = run(before + BODY + "double[(1,)](x, N=4)", tmp_path)
    last = ended.stderr.strip().splitlines()[-1]
    assert last.startswith("RuntimeError: 0 active drivers") and "kernloop.triton.activate()" in last, ended.stderr


def test_without_the_import_the_error_is_tritons(tmp_path: Path) -> None:
    ended = run(BODY + "double[(1,)](x, N=4)", tmp_path)
    assert "0 active drivers" in ended.stderr and "kernloop" not in ended.stderr.strip().splitlines()[-1]


def test_a_capture_still_offers_the_software_gpu_to_it(tmp_path: Path) -> None:
    text = f"import kernloop.triton\n{BODY}y = kernloop.triton.array(x)\ndouble[(1,)](y, N=4)\nprint(y.tolist())"
    path = os.pathsep.join(filter(None, [str(SHIM), os.environ.get("PYTHONPATH")]))
    ended = run(text, tmp_path, KERNLOOP_TRITON_SOFTGPU="1", PYTHONPATH=path)
    assert ended.stdout == "[0, 2, 4, 6]\n", ended.stderr


def test_the_module_keeps_its_own_loader(tmp_path: Path) -> None:
    text = """
        import sys
        import kernloop.triton, triton
        driver = sys.modules["triton.runtime.driver"]
        print(type(driver.__loader__).__name__, type(driver.__spec__.loader).__name__, driver._create_driver.__module__)
    """
    assert run(text, tmp_path).stdout == "SourceFileLoader SourceFileLoader kernloop.triton.missing_driver\n"


def test_numpy_arrays_are_named_with_what_to_pass(tmp_path: Path) -> None:
    ended = run(BODY + "double[(1,)](x, N=4)", tmp_path, "-m", "kernloop.triton")
    last = ended.stderr.strip().splitlines()[-1]
    assert last.startswith("TypeError: ") and "kernloop.triton.array(x)" in last, ended.stderr


def test_another_type_error_is_tritons_own(tmp_path: Path) -> None:
    ended = run(BODY + "double[(1,)](object(), N=4)", tmp_path, "-m", "kernloop.triton")
    last = ended.stderr.strip().splitlines()[-1]
    assert last.startswith("TypeError: ") and "kernloop" not in last, ended.stderr
