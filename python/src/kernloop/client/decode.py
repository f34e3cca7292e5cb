"""Decodes dataclasses of results from JSON."""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Mapping
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ..errors import KernloopError


class StageResult:
    """Fields of every result."""

    exit_code: int

    @property
    def passed(self) -> bool:
        """Whether the verb exits with 0: a failed verdict is a result, and has another exit code."""
        return self.exit_code == 0


class _Mismatch(Exception):
    pass


def decode(kind: Any, value: Any, verb: str, exit_code: int) -> Any:
    try:
        return _decode(kind, {"exit_code": exit_code, **value}, "result")
    except _Mismatch as error:
        raise KernloopError("INTERNAL_ERROR", f"what {verb} printed is not what its schema says: {error}", "report it", 5) from error


def decode_record(kind: Any, value: Any, where: str) -> Any:
    """An answer of a judge."""
    try:
        return _decode(kind, value, where)
    except _Mismatch as error:
        raise KernloopError("JUDGE_ANSWER", f"the answer of the judge is not what this version knows: {error}", "install one version of Kernloop on both sides", 5) from error


def _decode(kind: Any, value: Any, where: str) -> Any:
    if kind is Any:
        return value
    if dataclasses.is_dataclass(kind):
        return _record(kind, value, where)
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _one_of(get_args(kind), value, where)
    if origin is Literal:
        return _expect(value in get_args(kind), value, where)
    if origin is list and isinstance(value, list):
        return [_decode(get_args(kind)[0], one, f"{where}[{index}]") for index, one in enumerate(value)]
    if origin is tuple and isinstance(value, list):
        _expect(len(value) == len(get_args(kind)), value, where)
        return tuple(_decode(one, item, f"{where}[{index}]") for index, (one, item) in enumerate(zip(get_args(kind), value)))
    if origin is dict and isinstance(value, dict):
        return {name: _decode(get_args(kind)[1], one, f"{where}.{name}") for name, one in value.items()}
    if kind is float:
        return _expect(isinstance(value, (int, float)) and not isinstance(value, bool), value, where)
    if kind is int:
        return _expect(isinstance(value, int) and not isinstance(value, bool), value, where)
    return _expect(isinstance(kind, type) and isinstance(value, kind), value, where)


def _expect(holds: bool, value: Any, where: str) -> Any:
    if not holds:
        raise _Mismatch(f"{where} is {str(value)[:80]!r}")
    return value


def _one_of(kinds: tuple[Any, ...], value: Any, where: str) -> Any:
    problems = []
    for kind in kinds:
        try:
            return _decode(kind, value, where)
        except _Mismatch as error:
            problems.append(str(error))
    raise _Mismatch(" or ".join(problems))


def _record(kind: Any, value: Any, where: str) -> Any:
    _expect(isinstance(value, Mapping), value, where)
    known = _fields(kind)
    given = {}
    for name, json_name, hint in known:
        if json_name in value:
            given[name] = _decode(hint, value[json_name], f"{where}.{json_name}")
    missing = [field.name for field in dataclasses.fields(kind) if _is_required(field) and field.name not in given]
    _expect(not missing, f"without {', '.join(missing)}", where)
    if any(name == "extra" for name, _, _ in known):
        names = {json_name for _, json_name, _ in known}
        given["extra"] = {name: one for name, one in value.items() if name not in names}
    return kind(**given)


def _is_required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


@functools.cache
def _fields(kind: Any) -> list[tuple[str, str, Any]]:
    """Name in Python, name in JSON, and type of each field."""
    hints = get_type_hints(kind)
    return [(field.name, field.metadata.get("json", field.name), hints[field.name]) for field in dataclasses.fields(kind)]
