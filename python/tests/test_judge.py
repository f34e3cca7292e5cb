"""The client of a judge over a server that answers as docs/judge.md and the OpenAPI document say."""

from __future__ import annotations

import json
import os
import socketserver
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from kernloop import KernloopError
from kernloop.judge import Candidate, JudgeClient

DOCUMENT = json.loads((Path(__file__).resolve().parents[2] / "schemas" / "judge.openapi.json").read_text())


def example(schema: dict[str, Any]) -> Any:
    """The fullest value that a schema allows."""
    if "$ref" in schema:
        return example(DOCUMENT["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]])
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return example(schema["anyOf"][0])
    if isinstance(schema.get("type"), list):
        return example({**schema, "type": schema["type"][0]})
    if schema.get("type") == "object":
        return {name: example(one) for name, one in schema.get("properties", {}).items()}
    if schema.get("type") == "array":
        return [example(schema["items"])]
    return {"string": "text", "integer": 7, "number": 1.5, "boolean": True, None: None}[schema.get("type")]


def sealed(id: str, verdict: str = "pass") -> dict[str, Any]:
    document: dict[str, Any] = example({"$ref": "#/components/schemas/SealedJudgement"})
    document["judgement"].update(id=id, verdict=verdict)
    return document


def refusal(code: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": "m", "next": "n"}}


Answer = tuple[int, Any]
"""Status, and a document, or lines of a stream."""


@contextmanager
def served(answer: Callable[[str, str, Any], Answer], unix: bool = True) -> Iterator[tuple[str, list[Any]]]:
    """A judge whose answers `answer` gives; and the requests that it got."""
    asked: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def handle_one(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            asked.append((self.command, self.path, body, self.headers.get("Authorization"), self.headers.get("Host")))
            status, document = answer(self.command, self.path, body)
            lines = document if isinstance(document, list) else [document]
            text = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_DELETE = handle_one

        def address_string(self) -> str:
            return "test"

        def log_message(self, *_: Any) -> None:
            pass

    with tempfile.TemporaryDirectory() as folder:
        if unix:
            server: socketserver.BaseServer = socketserver.ThreadingUnixStreamServer(os.path.join(folder, "judge.sock"), Handler)
            address = os.path.join(folder, "judge.sock")
        else:
            server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
            address = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield address, asked
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


@pytest.mark.parametrize("unix", [True, False])
def test_a_candidate_is_submitted_with_an_id_and_its_verdict_decoded_whole(unix: bool) -> None:
    answers = iter([(202, {"id": "x", "kernel": "k", "phase": "judging", "sealed": None}), (200, sealed("x", "fail"))])

    def answer(method: str, path: str, body: Any) -> Answer:
        return (200, {"candidates": [{**one, "phase": "queued"} for one in body]}) if method == "POST" else next(answers)

    with served(answer, unix) as (address, asked):
        judgement = JudgeClient(address, "secret").judge(Candidate(files={"a.hip": "ü"}, id="x", priority=0, limits={"run_seconds": 5}))
    assert (judgement.verdict, judgement.id) == ("fail", "x")
    assert judgement.score is not None and judgement.score.time_ci95 is not None
    assert asked[0] == ("POST", "/v1/candidates", [{"files": {"a.hip": "ü"}, "id": "x", "limits": {"run_seconds": 5}, "priority": 0}], "Bearer secret", "localhost")
    assert [path for _, path, *_ in asked[1:]] == ["/v1/candidates/x/verdict?waitSeconds=60"] * 2


def test_each_of_many_is_accepted_or_refused_separately() -> None:
    def answer(_method: str, _path: str, body: Any) -> Answer:
        assert len(body) <= 100
        return 200, {"candidates": [refusal("CANDIDATE_REFUSED") if "bad" in one["files"] else {"id": one["id"]} for one in body]}

    with served(answer) as (address, asked):
        submitted = JudgeClient(address).submit_all([{"good" if index != 3 else "bad": ""} for index in range(150)])
        with pytest.raises(KernloopError, match="CANDIDATE_REFUSED: m"):
            JudgeClient(address).submit({"bad": ""})
    assert isinstance(submitted[3], KernloopError) and submitted[3].hint == "n"
    ids = [one for one in submitted if isinstance(one, str)]
    assert len(set(ids)) == 149 and len(asked) == 3
    assert asked[0][3] is None


def test_verdicts_come_as_they_are_made_and_are_asked_for_again_after_a_restart() -> None:
    def verdict(id: str) -> dict[str, Any]:
        return {"event": "verdict", "id": id, "kernel": "k", "sealed": sealed(id)}

    streams = iter(
        [
            [{"event": "phase", "id": "a", "kernel": "k", "phase": "queued"}, verdict("b"), {"event": "alive"}, {"event": "error", **refusal("JUDGE_CLOSED")}],
            [verdict("b"), verdict("a")],
            # Ends in the middle, without a word.
            [verdict("c"), {"event": "end"}],
        ]
    )
    status = {"version": "1", "public_key": "k", "sandboxed": True, "queued": 1, "working": 1}
    with served(lambda _method, path, _body: (200, next(streams) if path.startswith("/v1/events") else status)) as (address, asked):
        assert [one.id for one in JudgeClient(address).verdicts(["a", "b", "c"])] == ["b", "a", "c"]
    assert [path for _, path, *_ in asked] == ["/v1/events?ids=a,b,c", "/v1/status", "/v1/events?ids=a,c", "/v1/events?ids=c"]


def test_a_judge_that_ends_is_asked_again_and_one_that_is_not_there_is_told() -> None:
    answers = iter([(503, refusal("JUDGE_CLOSED")), (200, {"kernels": [{"name": "k", "device": "d", "files": ["f"]}]})])
    with served(lambda *_: next(answers)) as (address, _):
        [kernel] = JudgeClient(address).kernels()
        assert (kernel.name, kernel.files) == ("k", ["f"])
    with pytest.raises(KernloopError, match="JUDGE_UNREACHABLE"):
        JudgeClient(address, patience=0).kernels()


def test_waiting_has_an_end() -> None:
    with served(lambda *_: (202, {"id": "x", "phase": "queued"})) as (address, _), pytest.raises(TimeoutError, match="x has no verdict"):
        JudgeClient(address).wait("x", timeout=0.1)


@pytest.mark.parametrize("answer", [(200, ["text"]), (200, {"judgement": {}}), (200, {"judgement": {**sealed("x")["judgement"], "worst": 3}})])
def test_an_answer_of_another_version_is_told(answer: Answer) -> None:
    with served(lambda *_: answer) as (address, _), pytest.raises(KernloopError, match="JUDGE_ANSWER"):
        JudgeClient(address).wait("x")


@pytest.mark.parametrize("id", ["", "../key", "a b", "ä", "a/verdict"])
def test_what_is_no_id_is_never_sent(id: str) -> None:
    with served(lambda *_: (200, {})) as (address, asked), pytest.raises(KernloopError, match="CANDIDATE_UNKNOWN"):
        JudgeClient(address).wait(id)
    assert asked == []
