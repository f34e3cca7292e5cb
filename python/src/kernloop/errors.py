"""The one class of errors: a code (docs/reference/errors.md), what happened, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class KernloopError(RuntimeError):
    def __init__(self, code: str, what: str, hint: str) -> None:
        super().__init__(code, what, hint)
        self.code = code
        self.what = what
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.code}: {self.what}\n  {self.hint}"


class DeviceFault(KernloopError):
    """A dispatch that the device stopped. `fault` is what the software GPU says of it: kind, kernel, pc, lane, address, …"""

    def __init__(self, code: str, what: str, hint: str, fault: Mapping[str, Any]) -> None:
        super().__init__(code, what, hint)
        self.fault = dict(fault)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.what, self.hint, self.fault)
