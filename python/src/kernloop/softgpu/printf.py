"""Formats a printf whose format and arguments arrive as bytes: null-terminated strings padded to 8 bytes, numbers in 8."""

from __future__ import annotations

import re
import struct

_CONVERSION = re.compile(
    rb"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?P<precision>\.\d*)?(?P<length>hh|h|ll|l|j|z|t)?(?P<kind>[diouxXeEfFgGcsp%])"
)
_BITS = {b"hh": 8, b"h": 16, None: 32}


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data

    def number(self) -> bytes:
        taken, self._data = self._data[:8].ljust(8, b"\0"), self._data[8:]
        return taken

    def string(self) -> bytes:
        text = self._data.split(b"\0", 1)[0]
        self._data = self._data[(len(text) + 8) // 8 * 8 :]
        return text


def format_message(data: bytes) -> str:
    reader = _Reader(data)

    def convert(match: re.Match[bytes]) -> bytes:
        kind = match["kind"]
        if kind == b"%":
            return b"%"
        form = b"%" + match["flags"] + match["width"] + (match["precision"] or b"")
        if kind == b"s":
            return (form + b"s") % reader.string()
        raw = reader.number()
        if kind in b"eEfFgG":
            (real,) = struct.unpack("<d", raw)
            return (form + kind) % float(real)
        value = int.from_bytes(raw, "little")
        if kind == b"p":
            return (form + b"s") % hex(value).encode()
        bits = _BITS.get(match["length"], 64)
        value &= (1 << bits) - 1
        if kind in b"di" and value >> (bits - 1):
            value -= 1 << bits
        if kind == b"c":
            return (form + b"c") % (value & 0xFF)
        return (form + kind.replace(b"i", b"d").replace(b"u", b"d")) % value

    return _CONVERSION.sub(convert, reader.string()).decode(errors="replace")
