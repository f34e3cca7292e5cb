"""python3 -m kernloop [VERB …]: without a verb, an overview of this package; with one, the command line of npm."""

from __future__ import annotations

import os
import sys

from . import KernloopError
from ._version import VERSION
from .client.command import find_command

OVERVIEW = f"""Kernloop {VERSION} for Python

  python3 -m kernloop.triton app.py            run a program with its Triton kernels on the software GPU (--target gfx1030)
  python3 -m kernloop.reproducer FOLDER        launch the reproducer of a Triton kernel
  python3 -m kernloop VERB …                   the command line, if `npm install kernloop` has put it here: profile, extract, validate, …

  from kernloop import Kernloop                every verb as a typed method
  from kernloop.judge import JudgeClient       candidates for a judge that serves
  import kernloop.triton, kernloop.tracing, kernloop.softgpu

Documentation: https://github.com/kernloop/kernloop/blob/main/docs/python.md"""


def main(words: list[str]) -> None:
    if words == ["--version"]:
        print(VERSION)
        return
    try:
        command = find_command(None, os.getcwd(), os.environ)
    except KernloopError as error:
        command, missing = [], error
    if not words or words in (["--help"], ["-h"]):
        print(OVERVIEW)
        print(f"Command line: {command[0]}" if command else f"Command line: not here; {missing.hint}")
        return
    if not command:
        print(f"error: {missing.message} [{missing.code}]\n  → {missing.hint}", file=sys.stderr)
        sys.exit(missing.exit_code)
    sys.stdout.flush()
    os.execv(command[0], [*command, *words])


if __name__ == "__main__":
    main(sys.argv[1:])
