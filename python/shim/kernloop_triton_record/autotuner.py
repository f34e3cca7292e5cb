"""What the autotuners of the app tried and chose, told when the process ends: a captured launch may be one that only tried."""

import atexit
import math

from .values import expression

_watched = {}


def tell_winners(autotuner, name, store):
    if id(autotuner) in _watched:
        return
    _watched[id(autotuner)] = autotuner
    atexit.register(_write, autotuner, name, store)


def _write(autotuner, name, store):
    try:
        winners = [_describe(config) for config in autotuner.cache.values()]
        tried = [_describe(config) for config in autotuner.configs]
        record = {"schema": "kernloop.triton-autotune/1", "name": name, "winners": winners, "configurations": tried}
        store.put("autotune", {**record, "tuning": _last_tuning(autotuner)})
    except Exception:  # never the app's trouble
        pass


def _describe(config):
    return {name: expression(value) for name, value in sorted(config.all_kwargs().items())}


def _last_tuning(autotuner):
    """Of the arguments that it tuned for last: it keeps no other's timings. The median of each, None where it could not run."""
    try:
        timings = autotuner.configs_timings
        key = next(reversed(autotuner.cache))
        trials = [
            {"configuration": _describe(config), "median": _median(timing), "chosen": config is autotuner.cache[key]}
            for config, timing in timings.items()
        ]
        return {"key": [str(value)[:200] for value in key], "unit": _unit(autotuner), "trials": trials}
    except Exception:  # of another version, or without a trial
        return None


def _median(timing):
    value = float(timing[0] if isinstance(timing, (list, tuple)) else timing)
    return value if math.isfinite(value) else None


def _unit(autotuner):
    """The software GPU's benchmarker counts; every other is Triton's, or the app's in its place, which give milliseconds."""
    return "wave_instructions" if getattr(autotuner.do_bench, "__module__", "").startswith("kernloop.") else "ms"
