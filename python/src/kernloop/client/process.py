"""One run of the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any

from ..errors import KernloopError
from .command import not_started

# Time for an interrupted command line to end its children and itself.
_END_SECONDS = 20
# Time to read the last output if another process keeps the pipe open.
_REST_SECONDS = 2


def run(line: Sequence[str], cwd: str | None, env: Mapping[str, str], on_progress: Callable[[str], None] | None) -> dict[str, Any]:
    """Returns the one output document. The child runs in a separate session, so that an interrupt reaches it once,
    through this process."""
    # A file, because processes that the app leaves may hold a pipe open.
    with tempfile.TemporaryFile() as output:
        try:
            child = subprocess.Popen(
                line, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, start_new_session=True
            )
        except OSError as error:
            raise not_started(line[:1], str(error)) from error
        assert child.stderr is not None
        progress = _Lines(child.stderr, on_progress)
        try:
            child.wait()
        except BaseException:
            _end(child)
            raise
        finally:
            progress.join(_REST_SECONDS)
        if progress.failure is not None:
            raise progress.failure
        output.seek(0)
        return _document(output.read(), line, child.returncode, progress.tail)


def _end(child: subprocess.Popen[bytes]) -> None:
    child.send_signal(signal.SIGINT)
    try:
        child.wait(_END_SECONDS)
    except BaseException as error:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        child.wait()
        if not isinstance(error, subprocess.TimeoutExpired):
            raise


class _Lines(threading.Thread):
    """Always reads to the end, so that the child never blocks on a full pipe."""

    def __init__(self, stream: IO[bytes], on_line: Callable[[str], None] | None) -> None:
        super().__init__(daemon=True)
        self._stream = stream
        self._on_line = on_line
        self.tail: deque[str] = deque(maxlen=20)
        self.failure: BaseException | None = None
        self.start()

    def run(self) -> None:
        for line in self._stream:
            text = line.decode("utf-8", "replace").rstrip("\n")
            self.tail.append(text)
            if self._on_line is not None and self.failure is None:
                try:
                    self._on_line(text)
                except BaseException as error:
                    self.failure = error


def _document(text: bytes, line: Sequence[str], code: int, tail: deque[str]) -> dict[str, Any]:
    try:
        document = json.loads(text)
        if isinstance(document, dict) and ("result" in document or "error" in document):
            return document
    except ValueError:
        pass
    said = "\n  ".join(tail)
    raise KernloopError(
        "INTERNAL_ERROR",
        f"`{' '.join(line)}` ended with code {code} and printed no result{': ' if said else ''}{said}",
        "run the line by itself; if it does the same there, report it",
        code if code > 0 else 5,
    )
