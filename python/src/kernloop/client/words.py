"""Options as words of the command line."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

TRAILING = "--command"
"""Option of the stages that run any program: its words follow `--`."""


def words_of(options: Mapping[str, Any], positional: Any) -> list[str]:
    given = {flag: value for flag, value in options.items() if value is not None and flag != TRAILING}
    words = [word for flag, value in given.items() for word in _option(flag, value)]
    if TRAILING not in options:
        return [*words, *_behind_dashes(positional)]
    # Words behind the dashes are the command.
    return [*words, *_texts(positional), *_behind_dashes(options[TRAILING])]


def _behind_dashes(value: Any) -> list[str]:
    return [] if value is None else ["--", *_texts(value)]


def _texts(value: Any) -> list[str]:
    if value is None:
        return []
    return [_text(one) for one in ([value] if isinstance(value, (str, os.PathLike)) else value)]


def _option(flag: str, value: Any) -> list[str]:
    if value is True:
        return [flag]
    if value is False:
        return [f"--no-{flag[2:]}"]
    if isinstance(value, (str, int, float, os.PathLike)):
        return [f"{flag}={_text(value)}"]
    texts = [_text(one) for one in value]
    if any("," in text for text in texts):
        # The command line splits items at commas, except in a JSON list.
        return [f"{flag}={json.dumps(texts, ensure_ascii=False)}"]
    return [f"{flag}={text}" for text in texts]


def _text(value: Any) -> str:
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)
