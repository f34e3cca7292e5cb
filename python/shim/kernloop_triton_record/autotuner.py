"""Which configurations the autotuners of the app chose, told when the process ends: a captured launch may be one that only tried."""

import atexit

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
        store.put("autotune", {"schema": "kernloop.triton-autotune/1", "name": name, "winners": winners, "configurations": tried})
    except Exception:  # never the app's trouble
        pass


def _describe(config):
    return {name: expression(value) for name, value in sorted(config.all_kwargs().items())}
