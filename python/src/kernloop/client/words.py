"""Options as words of the command line."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any


def words_of(options: Mapping[str, Any], positional: Any) -> list[str]:
    words = [word for flag, value in options.items() if value is not None for word in _option(flag, value)]
    if positional is None:
        return words
    each = [positional] if isinstance(positional, (str, os.PathLike)) else list(positional)
    return [*words, "--", *(_text(value) for value in each)]


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
