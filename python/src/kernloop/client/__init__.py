"""Every stage of Kernloop as a method, over `kernloop <verb> --json`:

    from kernloop import Kernloop, KernloopError

    kl = Kernloop()
    [kernel] = kl.extract("softmax", app="apps/model").kernels
    print(kl.validate(kernel.reproducer, rtol=1e-5).verdict)

Methods (stages.py) and results (results.py) are generated from the published schemas. See docs/python.md."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import KernloopError
from .checkout import ensure_generated
from .command import check_version, find_command
from .decode import StageResult, decode
from .process import run
from .words import words_of

ensure_generated()
from .stages import Stages  # noqa: E402

__all__ = ["Kernloop", "KernloopError", "StageResult"]


class Kernloop(Stages):
    def __init__(
        self,
        command: str | Sequence[str] | None = None,
        *,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
        on_progress: Callable[[str], None] | None = None,
    ) -> None:
        """Does not search or start anything yet.

        command: The command line of Kernloop, a file or words. Default: `node_modules/.bin/kernloop` at or above `cwd`, then that of
            the checkout which this package lies in, then `kernloop` on the PATH.
        cwd: Folder of relative paths; default: the working folder.
        env: Variables besides those of this process.
        on_progress: Called with each line of messages for people.
        """
        self._given = command
        self._cwd = os.fspath(cwd) if cwd is not None else None
        self._env = dict(env or {})
        self._on_progress = on_progress
        self._command: list[str] | None = None

    @property
    def command(self) -> list[str]:
        """Words that start the command line, whose version is that of this package."""
        if self._command is None:
            found = find_command(self._given, self._cwd or os.getcwd(), self._environment())
            check_version(found, self._cwd, self._environment())
            self._command = found
        return self._command

    def _environment(self) -> dict[str, str]:
        return {**os.environ, **self._env}

    def _stage(self, kind: Any, verb: str, words: Any, options: Mapping[str, Any]) -> Any:
        line = [*self.command, *verb.split(), "--json", *words_of(options, words)]
        document = run(line, self._cwd, self._environment(), self._on_progress)
        if "error" in document:
            error = document["error"]
            raise KernloopError(error["code"], error["message"], error["hint"], document["exit_code"])
        return decode(kind, document["result"], verb, document["exit_code"])
