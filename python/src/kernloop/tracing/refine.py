"""Refines times between two steps of the device's clock by the SM's own: %globaltimer steps by 32 ns on some GPUs and
by 1 us on others, %clock64 by a cycle, but at a rate that changes, and from another zero on each SM.

Every event has both readings, at its begin and at its end. Readings of one SM in a stretch of a thousand steps form a
line: its slope comes from least squares, or from the whole trace if the stretch is too short; its offset is the middle
of those that put each reading into its step of %globaltimer. A reading that fits no line still stays within its step,
and order on an SM is that of its counts: a time differs from the device's clock by at most one step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .events import OPEN

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WRAP = 1 << 32
_STRETCH, _GAP, _TELLING = 1000, 500, 250  # steps: length of a stretch, gap between two, minimum length for a slope


def refined(
    units: NDArray[Any], starts: NDArray[Any], ends: NDArray[Any], cycles: tuple[NDArray[Any], NDArray[Any]], step: int, usual: float
) -> Any:
    """Starts and ends in nanoseconds. `cycles`: lower 32 bits of the SM's count at both; `usual`: counts per
    nanosecond, for events that cannot tell."""
    import numpy as np

    ended = np.flatnonzero(ends != OPEN)
    unit = np.concatenate([units, units[ended]])
    ticks = np.concatenate([starts, ends[ended]])
    count = np.concatenate([cycles[0], cycles[1][ended]]).astype(np.int64) % _WRAP
    if step <= 1 or ticks.size < 2:
        return starts, ends
    order = np.lexsort((ticks, unit))
    count = _unwrapped(unit[order], ticks[order], count[order], usual)
    inner = np.lexsort((count, unit[order]))
    order, count = order[inner], count[inner]
    times = np.empty_like(ticks)
    times[order] = _on_lines(unit[order], ticks[order], count, step, usual)
    new_ends = ends.copy()
    new_ends[ended] = times[starts.size :]
    return times[: starts.size], new_ends


def _unwrapped(unit: NDArray[Any], ticks: NDArray[Any], count: NDArray[Any], usual: float) -> NDArray[Any]:
    """Counts of 64 bits, from any zero: the distance of two readings of an SM follows from the device's clock, within
    half of 32 bits."""
    import numpy as np

    passed, counted = np.diff(ticks), np.diff(count) % _WRAP
    counted += _WRAP * np.rint((passed * usual - counted) / _WRAP).astype(np.int64)
    return np.concatenate([[0], np.cumsum(counted)])


def _on_lines(unit: NDArray[Any], ticks: NDArray[Any], count: NDArray[Any], step: int, usual: float) -> NDArray[Any]:
    import numpy as np

    changes = np.diff(unit) != 0
    begins = np.concatenate([[True], changes])
    of_unit = np.cumsum(begins) - 1
    stretch = (ticks - ticks[np.flatnonzero(begins)][of_unit]) // (_STRETCH * step)
    begins[1:] |= (np.diff(ticks) > _GAP * step) | (np.diff(stretch) != 0)
    first = np.flatnonzero(begins)
    line = np.cumsum(begins) - 1

    x = (count - count[first][line]).astype(np.float64)
    y = (ticks - ticks[first][line]).astype(np.float64)

    def total(values: NDArray[Any]) -> Any:
        return np.add.reduceat(values, first)

    points, across, up = total(np.ones_like(x)), total(x), total(y)
    spread = points * total(x * x) - across * across
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = (points * total(x * y) - across * up) / spread
    tells = (np.maximum.reduceat(y, first) >= _TELLING * step) & (spread > 0) & (slope > 0)
    slope = np.where(tells, slope, np.median(slope[tells]) if tells.any() else 1 / usual)
    # A reading is between the begin and the end of its step.
    below = np.maximum.reduceat(y - x * slope[line], first)
    above = np.minimum.reduceat(y + step - x * slope[line], first)
    exact = ((below + above) / 2)[line] + x * slope[line]
    times = ticks + np.rint(np.clip(exact - y, 0, step - 1)).astype(np.int64)
    # Each SM separately: later counts never get earlier times.
    apart = of_unit * (int(times.max() - times.min()) + 1)
    shown: NDArray[Any] = np.maximum.accumulate(times - times.min() + apart) - apart + times.min()
    return shown
