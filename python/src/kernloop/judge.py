"""Client of `kernloop judge --serve`:

    from kernloop.judge import JudgeClient

    judge = JudgeClient("./judge.sock")
    verdict = judge.judge({"kernel_variant.hip": source})
    print(verdict.verdict, verdict.summary)

See docs/judge.md. Needs the standard library alone."""

from __future__ import annotations

import http.client
import json
import secrets
import socket
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

from .client.decode import decode_record
from .client.results import JudgeJudgement as Judgement
from .errors import KernloopError

__all__ = ["Candidate", "JudgeClient", "JudgeStatus", "JudgedKernel", "Judgement", "KernloopError"]

_AT_ONCE = 100
"""Candidates of one request."""
_WAIT_SECONDS = 60
"""Seconds of one request for a verdict, which is repeated."""
_RETRY_SECONDS = 0.5
_MOST_BYTES = 64 * 1024 * 1024
_RESTARTED = ("JUDGE_CLOSED", "JUDGE_UNREACHABLE")


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A variant to judge. What is None is left to the judge."""

    files: Mapping[str, str]
    """Text of the files that replace those of the reproducer, by relative path."""
    id: str | None = None
    """Unique in the judge: letters, digits, - and _. Default: a random one."""
    kernel: str | None = None
    configuration: Mapping[str, Any] | None = None
    """Macros and launch of a C++ variant."""
    limits: Mapping[str, float] | None = None
    """Limits below those of the judge: compile_seconds, run_seconds, memory_bytes."""
    priority: int | None = None
    label: str | None = None
    """Words that come back with the verdict."""


@dataclass(frozen=True, kw_only=True)
class JudgedKernel:
    name: str
    device: str
    files: list[str]
    """Files that a candidate may replace; it may add others."""


@dataclass(frozen=True, kw_only=True)
class JudgeStatus:
    version: str
    public_key: str
    sandboxed: bool
    queued: int
    """Candidates that wait, of all senders."""
    working: int


Given = Union[Candidate, Mapping[str, str]]
"""A candidate, or only its files."""


class JudgeClient:
    def __init__(self, address: str, token: str | None = None, *, patience: float = 30) -> None:
        """address: As `kernloop judge --serve` prints it: the path of a socket, HOST:PORT or http://HOST:PORT.
        token: Not wanted on a Unix socket without --tokens.
        patience: Seconds in which a judge that does not answer is asked again, because it may be restarted. No candidate is judged
            twice by that.
        """
        self._address = address
        self._token = token
        self._patience = patience

    def judge(self, candidate: Given, timeout: float | None = None) -> Judgement:
        """Submits a candidate and waits for its verdict."""
        return self.wait(self.submit(candidate), timeout)

    def submit(self, candidate: Given) -> str:
        """The id of the candidate; a refusal is an error."""
        [submitted] = self.submit_all([candidate])
        if isinstance(submitted, KernloopError):
            raise submitted
        return submitted

    def submit_all(self, candidates: Sequence[Given]) -> list[str | KernloopError]:
        """The id of each candidate, or why it was refused."""
        submitted: list[str | KernloopError] = []
        for first in range(0, len(candidates), _AT_ONCE):
            # An id before it is sent: the same request again is the same candidate.
            documents = [_document(one) for one in candidates[first : first + _AT_ONCE]]
            answer = self._json("POST", "/v1/candidates", documents)
            submitted += [_error_of(one["error"]) if "error" in one else str(one["id"]) for one in answer["candidates"]]
        return submitted

    def wait(self, id: str, timeout: float | None = None) -> Judgement:
        """The verdict, once there is one; TimeoutError if that takes longer than `timeout` seconds."""
        return _judgement(self.sealed(id, timeout))

    def sealed(self, id: str, timeout: float | None = None) -> dict[str, Any]:
        """The signed verdict as the document that `kernloop verify-report` reads."""
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            left = _WAIT_SECONDS if until is None else max(0, min(_WAIT_SECONDS, int(until - time.monotonic() + 1)))
            answer = self._json("GET", f"/v1/candidates/{_part(id)}/verdict?waitSeconds={left}")
            if "judgement" in answer:
                return answer
            if until is not None and time.monotonic() >= until:
                raise TimeoutError(f"{id} has no verdict after {timeout} s")

    def verdicts(self, ids: Iterable[str]) -> Iterator[Judgement]:
        """The verdicts on these candidates, each as soon as there is one."""
        all_ids = list(dict.fromkeys(ids))
        for first in range(0, len(all_ids), _AT_ONCE):
            missing = set(all_ids[first : first + _AT_ONCE])
            while missing:
                try:
                    for event in self._events(f"/v1/events?ids={','.join(map(_part, sorted(missing)))}"):
                        if event["event"] == "verdict" and event["id"] in missing:
                            missing.remove(event["id"])
                            yield _judgement(event["sealed"])
                except KernloopError as error:
                    if error.code not in (*_RESTARTED, "READER_SLOW"):
                        raise
                    # Missing verdicts are asked for again, once a judge answers.
                    self.status()

    def cancel(self, id: str) -> None:
        """Ends the work on a candidate: its verdict is "cancelled", unless it has one."""
        self._json("DELETE", f"/v1/candidates/{_part(id)}")

    def kernels(self) -> list[JudgedKernel]:
        return [decode_record(JudgedKernel, one, "kernels") for one in self._json("GET", "/v1/kernels")["kernels"]]

    def status(self) -> JudgeStatus:
        status: JudgeStatus = decode_record(JudgeStatus, self._json("GET", "/v1/status"), "status")
        return status

    def _json(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        until = time.monotonic() + self._patience
        while True:
            try:
                return self._once(method, path, body)
            except KernloopError as error:
                if error.code not in _RESTARTED or time.monotonic() + _RETRY_SECONDS > until:
                    raise
                time.sleep(_RETRY_SECONDS)

    def _once(self, method: str, path: str, body: Any) -> dict[str, Any]:
        connection = self._connection()
        try:
            with self._request(connection, method, path, body) as response:
                answer = _parsed(response.read(_MOST_BYTES + 1))
        except (OSError, http.client.HTTPException) as error:
            raise self._unreachable(error) from error
        finally:
            connection.close()
        if response.status >= 400:
            raise _error_of(answer["error"])
        return answer

    def _events(self, path: str) -> Iterator[dict[str, Any]]:
        connection = self._connection()
        try:
            with self._request(connection, "GET", path, None) as response:
                if response.status >= 400:
                    raise _error_of(_parsed(response.read(_MOST_BYTES + 1))["error"])
                while line := response.readline(_MOST_BYTES):
                    event = _parsed(line)
                    if event["event"] == "error":
                        raise _error_of(event["error"])
                    yield event
        except (OSError, http.client.HTTPException) as error:
            raise self._unreachable(error) from error
        finally:
            connection.close()

    def _request(self, connection: http.client.HTTPConnection, method: str, path: str, body: Any) -> http.client.HTTPResponse:
        headers = {"Host": "localhost", "Content-Type": "application/json"}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        connection.request(method, path, None if body is None else json.dumps(body).encode(), headers)
        return connection.getresponse()

    def _connection(self) -> http.client.HTTPConnection:
        address = self._address.removeprefix("http://").removeprefix("unix://")
        # Longer than the judge lets a request wait, and than the time between two lines of events.
        timeout = _WAIT_SECONDS + 30
        if "/" in address.rstrip("/"):
            return _SocketConnection(address, timeout)
        host, _, port = address.rstrip("/").rpartition(":")
        return http.client.HTTPConnection(host.strip("[]") or "127.0.0.1", int(port), timeout=timeout)

    def _unreachable(self, error: Exception) -> KernloopError:
        return KernloopError(
            "JUDGE_UNREACHABLE", f"no judge answers at {self._address} ({error or type(error).__name__})", "start one with `kernloop judge --serve`", 5
        )


class _SocketConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _document(given: Given) -> dict[str, Any]:
    candidate = given if isinstance(given, Candidate) else Candidate(files=given)
    fields = {**vars(candidate), "id": candidate.id or secrets.token_hex(9), "files": dict(candidate.files)}
    return {name: value for name, value in fields.items() if value is not None}


def _judgement(sealed: Mapping[str, Any]) -> Judgement:
    judgement: Judgement = decode_record(Judgement, sealed["judgement"], "judgement")
    return judgement


def _part(id: str) -> str:
    """Part of a path: an id of another form is never sent."""
    if not id or not all(letter.isascii() and (letter.isalnum() or letter in "-_") for letter in id):
        raise KernloopError("CANDIDATE_UNKNOWN", f"{id!r} is no id of a candidate", "give one that submit() returned")
    return id


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise _not_understood(text) from error
    if not isinstance(value, dict):
        raise _not_understood(text)
    return value


def _not_understood(text: bytes) -> KernloopError:
    return KernloopError("JUDGE_ANSWER", f"the answer of the judge is no object of JSON: {text[:80]!r}", "install one version of Kernloop on both sides", 5)


def _error_of(error: Mapping[str, str]) -> KernloopError:
    return KernloopError(error["code"], error["message"], error["next"])
