"""Device clocks on the host's time, with a bound on the error.

A sample is one reading of the device's clock between two readings of the host's: ``before <= H <= after``, where ``H``
is the host's time at which the device read ``d``. The device's time ``T`` was then in ``[d, d + resolution]``, so that
the offset ``H - T`` lies in ``[before - d - resolution, after - d]``. Every sample gives such an interval of the same
offset, and the truth is in all of them: it is in their intersection, however long any single round trip took and
whatever part of it was the way there. The anchor is the middle of the intersection, and half its width the error:
nothing is assumed but that rates differ by at most `DRIFT_PPM` while the samples are taken (each interval is widened by
that). Iris's "minimum timestamp" has no such bound: it shifts ranks by how late each of them started.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ..errors import KernloopError
from .events import Clock

DRIFT_PPM: Final = 200
"""How far the rates of two crystals are assumed to be apart at most: they are specified to 50 or 100 each."""

BURST_NS: Final = 50_000_000
"""Samples nearer to the first one of a burst are of one anchor."""

NS: Final = 1_000_000_000


@dataclass(frozen=True)
class Anchor:
    """At the device's time `device_ns`, the host's time was within `error_ns` of ``device_ns + offset_ns``."""

    device_ns: int
    offset_ns: int
    error_ns: int


def to_ns(ticks: int, clock: Clock) -> int:
    """Exact if the rate divides a second; else rounded down."""
    return ticks * NS // clock.ticks_per_second


def resolution_ns(clock: Clock) -> int:
    """Rounded up; one tick if it was not sampled."""
    return -(-max(1, clock.resolution_ticks) * NS // clock.ticks_per_second)


def anchors(pairs: Sequence[tuple[int, int]], clock: Clock) -> list[Anchor]:
    """Anchors from ``(ticks, host ns)`` pairs: two consecutive pairs with the same ticks are the host's time before and
    after."""
    if not clock.is_time:
        return []
    samples = [(to_ns(first, clock), before, after) for (first, before), (second, after) in itertools.pairwise(pairs) if first == second]
    return [_anchor(burst, resolution_ns(clock)) for burst in _bursts(sorted(set(samples)))]


def _bursts(samples: Iterable[tuple[int, int, int]]) -> list[list[tuple[int, int, int]]]:
    bursts: list[list[tuple[int, int, int]]] = []
    for sample in samples:
        if not bursts or sample[0] - bursts[-1][0][0] > BURST_NS:
            bursts.append([])
        bursts[-1].append(sample)
    return bursts


def _anchor(samples: Sequence[tuple[int, int, int]], resolution: int) -> Anchor:
    middle = (samples[0][0] + samples[-1][0]) // 2
    low = max(before - device - resolution - _drift(device - middle) for device, before, _ in samples)
    high = min(after - device + _drift(device - middle) for device, _, after in samples)
    if low > high:
        raise KernloopError(
            "CLOCK_UNSTEADY",
            f"samples of the device's clock contradict each other by {low - high} ns",
            "the clock was set, or its resolution is coarser than measured: enable the tracing again, near to what is traced",
        )
    # Rounded outwards: half a nanosecond counts as error.
    return Anchor(middle, (low + high) // 2, (high - low + 1) // 2)


def _drift(distance: int) -> int:
    return -(-abs(distance) * DRIFT_PPM // 1_000_000)
