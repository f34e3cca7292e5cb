"""Memory of the process that kernels may access during one dispatch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

_PAGE = 4096


class HostRange(NamedTuple):
    address: int
    size: int


def pages_of(ranges: Iterable[HostRange]) -> list[HostRange]:
    """Pages of the ranges, merged if they meet: memory locked twice would be unlocked by the first unlock."""
    pages: list[HostRange] = []
    for address, size in sorted(ranges):
        if size == 0:
            continue
        begin = address // _PAGE * _PAGE
        end = (address + size + _PAGE - 1) // _PAGE * _PAGE
        if pages and begin <= pages[-1].address + pages[-1].size:
            last = pages.pop()
            begin, end = last.address, max(end, last.address + last.size)
        pages.append(HostRange(begin, end - begin))
    return pages
