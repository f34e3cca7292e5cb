"""Events recorded from inside Triton and Gluon kernels (docs/tracing.md), under Iris's names:

    import kernloop.tracing as iris
    shmem = iris.iris(heap_size)
    shmem.tracing.enable(max_events)
    kernel[grid](shmem.get_device_context(), …)      # with iris.DeviceContext, or iris.IrisDeviceCtx in Gluon
    shmem.tracing.export("trace.kevents")

Importing it needs neither Triton, NumPy nor PyTorch."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .events import OPEN, Clock, RankEvents
from .ids import EVENT_IDS, EVENT_NAMES
from .ranges import host_range

_PLACES = {
    "DeviceContext": "device",
    "DeviceTracing": "device",
    "TraceEvent": "device",
    "IrisDeviceCtx": "gluon",
    "TritonContext": "device",
    "GluonContext": "gluon",
    "Iris": "heap",
    "iris": "heap",
    "iris_in_process": "heap",
    "Tracing": "host",
    "read_realtime": "machine",
    "write_ranks": "export",
}

__all__ = ["EVENT_IDS", "EVENT_NAMES", "OPEN", "Clock", "RankEvents", "host_range", *_PLACES]


def __getattr__(name: str) -> Any:
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{place}", __name__), name)
