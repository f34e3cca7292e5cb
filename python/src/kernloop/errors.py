"""The only error class: a code (docs/reference/errors.md), what happened, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class KernloopError(RuntimeError):
    """`exit_code` is the command line's for such an error (docs/reference/exit-codes.md)."""

    def __init__(self, code: str, message: str, hint: str, exit_code: int = 2) -> None:
        super().__init__(code, message, hint, exit_code)
        self.code = code
        self.message = message
        self.hint = hint
        self.exit_code = exit_code

    @property
    def what(self) -> str:
        """The same as `message`."""
        return self.message

    def __str__(self) -> str:
        return f"{self.code}: {self.message}\n  {self.hint}"


class DeviceFault(KernloopError):
    """A dispatch that the device stopped. `fault` has the software GPU's facts: kind, kernel, pc, lane, address, …"""

    def __init__(self, code: str, what: str, hint: str, fault: Mapping[str, Any]) -> None:
        super().__init__(code, what, hint, 4)
        self.fault = dict(fault)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.what, self.hint, self.fault)
