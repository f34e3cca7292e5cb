"""The client over what the published schemas allow, and over command lines that are none."""

from __future__ import annotations

import dataclasses
import json
import re
import stat
from pathlib import Path
from typing import Any

import pytest

from kernloop import Kernloop, KernloopError
from kernloop._version import VERSION
from kernloop.client import command, results
from kernloop.client.decode import decode
from kernloop.client.words import words_of

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas" / "output"
VERBS = sorted(path.name.removesuffix(".schema.json") for path in SCHEMAS.glob("*.json") if path.name != "kernloop.schema.json")


def examples(schema: dict[str, Any], whole: bool) -> list[Any]:
    """One value of each form that a schema allows; `whole` with everything that may be left out."""
    for choices in (schema.get("anyOf"), schema.get("oneOf")):
        if choices:
            return [value for choice in choices for value in examples(choice, whole)]
    if "const" in schema:
        return [schema["const"]]
    if "enum" in schema:
        return list(schema["enum"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return [value for one in kind for value in examples({**schema, "type": one}, whole)]
    if kind == "object":
        return list(objects(schema, whole))
    if kind == "array":
        items = schema.get("items", {})
        return [[examples(item, whole)[0] for item in items]] if isinstance(items, list) else [examples(items, whole), *([] if schema.get("minItems") else [[]])]
    return [{"string": "text", "integer": 7, "number": 1.5, "boolean": True, "null": None, None: {"any": 1}}[kind]]


def objects(schema: dict[str, Any], whole: bool) -> Any:
    properties = {name: examples(one, whole) for name, one in schema.get("properties", {}).items() if whole or name in schema.get("required", [])}
    for round_ in range(max(map(len, properties.values()), default=1)):
        yield {name: values[round_ % len(values)] for name, values in properties.items()}


def expanded(schema: Any, definitions: dict[str, Any]) -> Any:
    """The schema with each reference replaced by what it refers to."""
    if isinstance(schema, list):
        return [expanded(one, definitions) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if isinstance(schema.get("$ref"), str):
        return expanded(definitions[schema["$ref"].removeprefix("#/definitions/")], definitions)
    return {name: expanded(one, definitions) for name, one in schema.items() if name != "definitions"}


def result_schema(verb: str) -> dict[str, Any]:
    file = json.loads((SCHEMAS / f"{verb}.schema.json").read_text())
    document = expanded(file, file.get("definitions", {}))
    [schema] = [shape["properties"]["result"] for shape in document["anyOf"] if "result" in shape["properties"]]
    return schema


def kind_of(verb: str) -> Any:
    return getattr(results, "".join(f"{word[0].upper()}{word[1:]}" for word in verb.split("-")) + "Result")


def same(value: Any, record: Any) -> bool:
    """Everything of the JSON is in the record, under its name."""
    if not dataclasses.is_dataclass(record):
        if isinstance(value, list):
            return len(value) == len(record) and all(map(same, value, record))
        return value.keys() == record.keys() and all(same(value[name], record[name]) for name in value) if isinstance(value, dict) else value == record
    names = {field.metadata.get("json", field.name): field.name for field in dataclasses.fields(record)}
    extra = getattr(record, "extra", {})
    return all(same(one, getattr(record, names[name])) if name in names else extra.get(name) == one for name, one in value.items())


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("whole", [True, False])
def test_every_form_of_a_result_is_decoded_whole(verb: str, whole: bool) -> None:
    for value in examples(result_schema(verb), whole):
        decoded = decode(kind_of(verb), value, verb, 3)
        assert same(value, decoded)
        assert decoded.exit_code == value.get("exit_code", 3)
        for name in value:
            broken = {key: one for key, one in value.items() if key != name}
            optional = name not in result_schema(verb).get("required", [name])
            # If words tell the forms apart, another form may fit no better.
            if not optional and name != "exit_code" and "anyOf" not in result_schema(verb):
                with pytest.raises(KernloopError, match="INTERNAL_ERROR"):
                    decode(kind_of(verb), broken, verb, 3)


def test_words_of_options() -> None:
    options = {"--app": Path("my app"), "--rtol": 0.5, "--build": False, "--verbose": True, "--seed": None, "--dtype": ["r0=f32", "-x"], "--define": "A=1"}
    assert words_of(options, ["k,1", "-k"]) == [
        *["--app=my app", "--rtol=0.5", "--no-build", "--verbose", "--dtype=r0=f32", "--dtype=-x", "--define=A=1"],
        *["--", "k,1", "-k"],
    ]
    assert words_of({"--set": ["BLOCK=64,128", "µ"]}, None) == ['--set=["BLOCK=64,128", "µ"]']
    # Behind the dashes of these stages the program follows.
    assert words_of({"--top": 3, "--command": None}, Path("apps/heat")) == ["--top=3", "apps/heat"]
    assert words_of({"--command": ["./demo", "-k", "--"]}, None) == ["--", "./demo", "-k", "--"]


def program(folder: Path, text: str) -> str:
    path = folder / "kernloop"
    path.write_text(f"#!/bin/sh\ncase $1 in --version) echo {VERSION}; exit;; esac\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def error_of(client: Kernloop) -> KernloopError:
    with pytest.raises(KernloopError) as caught:
        client.doctor()
    return caught.value


def test_an_error_has_code_message_hint_and_exit_code_and_progress_is_heard(tmp_path: Path) -> None:
    document = {"schema": "kernloop.output/1", "verb": "doctor", "exit_code": 2, "error": {"code": "USAGE", "message": "m", "hint": "h"}}
    lines: list[str] = []
    error = error_of(Kernloop(program(tmp_path, f"echo one >&2; echo two >&2; echo '{json.dumps(document)}'; exit 2"), on_progress=lines.append))
    assert (error.code, error.message, error.hint, error.exit_code) == ("USAGE", "m", "h", 2)
    assert lines == ["one", "two"]


def test_a_command_line_that_prints_no_result_is_told_with_what_it_said(tmp_path: Path) -> None:
    error = error_of(Kernloop(program(tmp_path, "echo went wrong >&2; exit 9")))
    assert (error.code, error.exit_code) == ("INTERNAL_ERROR", 9) and "went wrong" in error.message


def test_a_process_that_goes_on_with_the_output_open_is_not_waited_for(tmp_path: Path) -> None:
    result = {"schema": "kernloop.output/1", "verb": "doctor", "exit_code": 0, "result": {"checks": [], "exit_code": 0}}
    assert Kernloop(program(tmp_path, f"sleep 60 & echo $! > {tmp_path}/pid; echo '{json.dumps(result)}'")).doctor().passed
    import os
    import signal

    os.kill(int((tmp_path / "pid").read_text()), signal.SIGTERM)


def test_the_command_line_is_found_beside_the_workspace_then_on_the_path_else_it_is_said_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Kernloop(cwd=tmp_path).command == [str(SCHEMAS.parents[1] / "bin" / "kernloop.js")]
    monkeypatch.setattr(command, "CHECKOUT", tmp_path / "none")
    (tmp_path / "bin").mkdir()
    (tmp_path / "workspace" / "node_modules" / ".bin").mkdir(parents=True)
    (tmp_path / "workspace" / "apps").mkdir()
    path = f"{tmp_path / 'bin'}:/usr/bin:/bin"
    client = Kernloop(cwd=tmp_path / "workspace" / "apps", env={"PATH": path})
    assert (error := error_of(client)).code == "ENVIRONMENT_CLI_MISSING" and f"npm install kernloop@{VERSION}" in error.hint and error.exit_code == 5
    on_path = program(tmp_path / "bin", "")
    assert client.command == [on_path]
    local = program(tmp_path / "workspace" / "node_modules" / ".bin", "")
    assert Kernloop(cwd=tmp_path / "workspace" / "apps", env={"PATH": path}).command == [local]
    assert error_of(Kernloop(str(tmp_path / "nothing"))).code == "ENVIRONMENT_CLI_MISSING"


def test_a_command_line_of_another_version_is_refused(tmp_path: Path) -> None:
    path = program(tmp_path, "")
    Path(path).write_text("#!/bin/sh\necho 9.8.7\n")
    error = error_of(Kernloop(path))
    assert error.code == "ENVIRONMENT_CLI_VERSION" and re.search(f"9.8.7.*{VERSION}", error.message)
