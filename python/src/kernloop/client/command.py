"""Finds the command line of Kernloop and checks that its version matches this package."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from .._version import VERSION
from ..errors import KernloopError

ENVIRONMENT = 5
# In a checkout, this file is python/src/kernloop/client/command.py.
CHECKOUT = Path(__file__).resolve().parents[4] / "bin" / "kernloop.js"


def find_command(given: str | Sequence[str] | None, cwd: str, env: Mapping[str, str]) -> list[str]:
    if given is not None:
        return [given] if isinstance(given, str) else list(given)
    here = Path(cwd).resolve()
    for folder in (here, *here.parents):
        installed = folder / "node_modules" / ".bin" / "kernloop"
        if installed.exists():
            return [str(installed)]
    if CHECKOUT.exists():
        return [str(CHECKOUT)]
    found = shutil.which("kernloop", path=env.get("PATH"))
    if found:
        return [found]
    raise KernloopError(
        "ENVIRONMENT_CLI_MISSING",
        f"the command line of Kernloop was not found: no node_modules/.bin/kernloop at or above {here}, and no kernloop on the PATH",
        f"run `npm install kernloop@{VERSION}` in the workspace (Node 20.19 or newer), or say where it is: Kernloop(command=…)",
        ENVIRONMENT,
    )


def check_version(command: Sequence[str], cwd: str | None, env: Mapping[str, str]) -> None:
    """Requires this version, because results are decoded by its schemas."""
    try:
        ended = subprocess.run([*command, "--version"], cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except OSError as error:
        raise not_started(command, str(error)) from error
    found = ended.stdout.strip()
    if ended.returncode != 0 or not found:
        raise not_started(command, ended.stderr.strip() or f"`--version` ended with code {ended.returncode}")
    if found != VERSION:
        raise KernloopError(
            "ENVIRONMENT_CLI_VERSION",
            f"{' '.join(command)} is of version {found}, and this package of {VERSION}: they only go together in the same version",
            f"run `npm install kernloop@{VERSION}`, or `pip install kernloop=={found}`",
            ENVIRONMENT,
        )


def not_started(command: Sequence[str], why: str) -> KernloopError:
    return KernloopError(
        "ENVIRONMENT_CLI_MISSING",
        f"{' '.join(command)} does not start: {why}",
        "it needs Node 20.19 or newer on the PATH; Kernloop(command=…) names another",
        ENVIRONMENT,
    )
