"""Versions of Triton whose internal interfaces this package was tested with."""

from __future__ import annotations

import re

from ..errors import KernloopError

KNOWN = ("3.6",)


def check_version(version: str) -> None:
    number = re.match(r"(\d+\.\d+)(\.|$)", version)
    if number is None or number[1] not in KNOWN:
        raise KernloopError(
            "ENVIRONMENT_TRITON_VERSION",
            f"Triton {version} is not one that the driver of the software GPU knows: its driver interface is not a public one",
            f"install Triton {' or '.join(f'{known}.*' for known in KNOWN)} (pip install 'triton=={KNOWN[-1]}.*')",
        )
