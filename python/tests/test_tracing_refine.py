"""The SM's clock between the steps of the device's, on clocks that the test makes."""

import numpy as np
import pytest

from kernloop.tracing import OPEN
from kernloop.tracing.refine import refined

EPOCH = 1_760_000_000_000_000_000  # ns, as %globaltimer has it


class Machine:
    """SMs whose clocks begin anywhere, at 1.98 GHz, and from half a millisecond on at 1.6."""

    def __init__(self, step, change=500_000, slower=1.6):
        self.step, self.change, self.slower = step, change, slower

    def ticks(self, time):
        return EPOCH + np.floor(time / self.step).astype(np.int64) * self.step

    def cycles(self, unit, time):
        counted = np.where(time < self.change, 1.98 * time, 1.98 * self.change + self.slower * (time - self.change))
        return np.floor(counted + unit * 3e9 + 2.0**32 - 1e6).astype(np.int64).astype(np.uint32).astype(np.int32)

    def read(self, unit, start, end):
        """As the columns have it."""
        cycles = self.cycles(unit, start), self.cycles(unit, end)
        return refined(unit, self.ticks(start), self.ticks(end), cycles, self.step, 1.98)


def events(rng, length, count=4000, units=7, over=1_000_000):
    unit = rng.integers(0, units, count)
    start = rng.uniform(0, over, count)
    return unit, start, start + length * rng.uniform(0.9, 1.1, count)


@pytest.mark.parametrize(("step", "length", "over"), [(32, 300, 1_000_000), (32, 1000, 1_000_000), (1024, 5000, 40_000_000)])
def test_durations_shorter_than_the_clock_tells_are_right(step, length, over, rng):
    unit, start, end = events(rng, length, over=over)
    machine = Machine(step, change=over / 2)
    starts, ends = machine.read(unit, start, end)
    raw = np.abs((machine.ticks(end) - machine.ticks(start)) / (end - start) - 1)
    error = np.abs((ends - starts) / (end - start) - 1)
    assert np.quantile(raw, 0.95) > 0.02  # what there is to gain
    assert np.quantile(error, 0.95) < 0.02 and np.median(error) < 0.005


def test_a_time_is_never_further_from_the_device_s_clock_than_a_step_and_order_is_kept(rng):
    for change in (0, 123_456, 500_000):
        machine = Machine(32, change, slower=0.7)
        unit, start, end = events(rng, 200)
        starts, ends = machine.read(unit, start, end)
        for refined_times, true in ((starts, start), (ends, end)):
            assert ((refined_times - machine.ticks(true) >= 0) & (refined_times - machine.ticks(true) < 2 * 32)).all()
        for each in np.unique(unit):
            mine = np.concatenate([start[unit == each], end[unit == each]])
            theirs = np.concatenate([starts[unit == each], ends[unit == each]])
            assert (np.diff(theirs[np.argsort(mine, kind="stable")]) >= 0).all()


def test_counts_of_32_bits_wrap_and_gaps_of_seconds_do_not_matter(rng):
    unit, start, end = events(rng, 500)
    later = rng.integers(0, 5, start.size) * 7e9  # three wraps at least
    starts, ends = Machine(32, change=1e18).read(unit, start + later, end + later)
    assert np.quantile(np.abs((ends - starts) - (end - start)), 0.95) < 5


def test_open_events_stay_open(rng):
    machine = Machine(32)
    unit, start, end = events(rng, 500)
    ticks, cycles = machine.ticks(end), (machine.cycles(unit, start), machine.cycles(unit, end))
    ticks[::3] = OPEN
    _, ends = refined(unit, machine.ticks(start), ticks, cycles, 32, 1.98)
    np.testing.assert_array_equal(ends == OPEN, ticks == OPEN)
    starts, ends = machine.read(unit[:0], start[:0], end[:0])
    assert starts.size == ends.size == 0


def test_a_few_events_are_shown_by_the_usual_rate(rng):
    """One of each SM: nothing in the trace tells how fast its clock is."""
    unit = np.arange(132)
    start = rng.uniform(0, 10_000, unit.size)
    for usual, most in ((1.98, 0.003), (1.9, 0.045)):
        length = 1000.0
        machine = Machine(32)
        cycles = machine.cycles(unit, start), machine.cycles(unit, start + length)
        starts, ends = refined(unit, machine.ticks(start), machine.ticks(start + length), cycles, 32, usual)
        assert np.abs((ends - starts) / length - 1).max() < most


@pytest.mark.parametrize(
    ("true", "said"), [(100_000_000, 100_000_000), (99_999_000, 100_000_000), (25_003_000, 25_000_000), (31_234_567, 31_234_567)]
)
def test_the_rate_of_a_clock_that_is_not_told_is_counted(true, said, monkeypatch):
    from kernloop.tracing import clock

    now = [1_000_000_000]

    def sample(memory, count):
        return [(now[0], now[0] * true // 1_000_000_000, now[0])] * count

    def sleep(seconds):
        now[0] += round(seconds * 1e9)

    monkeypatch.setattr(clock, "sample", sample)
    monkeypatch.setattr(clock.time, "sleep", sleep)
    assert abs(clock._rate(None) - said) <= (0 if said != true else 20)
