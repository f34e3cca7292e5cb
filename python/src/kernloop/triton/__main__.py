"""python3 -m kernloop.triton [--target gfx90a|gfx1030|gfx942|gfx1100] [--record FOLDER] [-m MODULE | FILE]
[ARGUMENTS…]: runs a program like `python3`, with its Triton kernels on the software GPU."""

from __future__ import annotations

import argparse
import os
import runpy
import sys

from ..errors import KernloopError
from .activation import TARGETS, activate
from .recording import record


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="python3 -m kernloop.triton",
        description="Run a program with its Triton kernels on the software GPU of Kernloop.",
        allow_abbrev=False,
    )
    parser.add_argument("--target", choices=TARGETS, help="default: KERNLOOP_SOFTGPU, else gfx90a")
    parser.add_argument("--record", metavar="FOLDER", help="write down there what is compiled and launched")
    parser.add_argument("-m", dest="module", action="store_true", help="the program is a module")
    parser.add_argument("program", help="a file, or with -m the name of a module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the program's own")
    options = parser.parse_args(words)
    try:
        if options.record is not None:
            record(options.record)
        activate(options.target)
    except KernloopError as error:
        sys.exit(f"kernloop.triton: {error}")
    sys.argv = [options.program, *options.arguments]
    if options.module:
        sys.path[0] = os.getcwd()
        runpy.run_module(options.program, run_name="__main__", alter_sys=True)
    else:
        if not os.path.exists(options.program):
            parser.error(f"there is no file {options.program}")
        sys.path[0] = os.path.dirname(os.path.realpath(options.program))
        runpy.run_path(options.program, run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
