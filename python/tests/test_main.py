"""python3 -m kernloop"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kernloop import __version__

SOURCE = Path(__file__).resolve().parents[1] / "src"


def run(folder: Path, *words: str, package: Path = SOURCE) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(package)}
    return subprocess.run([sys.executable, "-m", "kernloop", *words], cwd=folder, env=env, capture_output=True, text=True, check=False)


def command_in(folder: Path) -> None:
    program = folder / "node_modules" / ".bin" / "kernloop"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\necho "asked: $*"\nexit 3\n')
    program.chmod(0o755)


def test_without_words_it_tells_the_version_the_modules_and_where_the_documentation_is(tmp_path: Path) -> None:
    command_in(tmp_path)
    for words in ([], ["--help"]):
        ended = run(tmp_path, *words)
        assert (ended.returncode, ended.stderr) == (0, "")
        for part in (f"Kernloop {__version__}", "-m kernloop.triton", "from kernloop import Kernloop", "docs/python.md"):
            assert part in ended.stdout
        assert f"Command line: {tmp_path}/node_modules/.bin/kernloop" in ended.stdout
    assert run(tmp_path, "--version").stdout == f"{__version__}\n"


def test_a_verb_is_given_to_the_command_line_with_its_exit_code(tmp_path: Path) -> None:
    command_in(tmp_path)
    ended = run(tmp_path, "validate", "kernels/a b")
    assert (ended.returncode, ended.stdout) == (3, "asked: validate kernels/a b\n")


def test_where_there_is_no_command_line_it_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Outside of the checkout, which has a command line of its own.
    site = tmp_path / "a" / "b" / "c" / "d"
    shutil.copytree(SOURCE / "kernloop", site / "kernloop", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("PATH", str(tmp_path))
    ended = run(tmp_path, "validate", package=site)
    overview = run(tmp_path, package=site)
    assert ended.returncode == 5
    assert "[ENVIRONMENT_CLI_MISSING]" in ended.stderr and f"npm install kernloop@{__version__}" in ended.stderr
    assert overview.returncode == 0 and "Command line: not here" in overview.stdout
