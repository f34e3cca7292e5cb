"""Launches a captured kernel again with tracing, for reproducer.py of a kernel that the app compiled without it.

The app's context tensor is in the captured memory, with zeros for the words of tracing, or with stale addresses. The
kernel gets another one instead: the captured ranks and heaps (at their current addresses), and buffers of this process.
Only the kernel's own results change captured memory, so the comparison with the app's is the same as without tracing."""

from __future__ import annotations

import struct
from typing import Any

from .host import TAIL, Tracing

MAX_EVENTS = 1_000_000


class Recorder:
    """Replaces the context among the arguments of the launch; tracing is off at first. `error`: the reproducer's own
    error class (code, what, hint)."""

    def __init__(self, script: dict[str, Any], memory: Any, launch: Any, error: type[Exception]) -> None:
        self._error = error
        switches = [name for name in script["CONSTEXPRS"] if name.lower() in ("tracing", "trace", "enable_tracing")]
        if len(switches) != 1:
            raise error(
                "USAGE",
                f"the constants of the kernel are {', '.join(script['CONSTEXPRS']) or 'none'}: no one of them switches tracing on",
                "pass `tracing` of initialize() on as a constant of that name: TRACING: tl.constexpr",
            )
        self.constants = {switches[0]: True}
        name, words = self._context(script, memory)
        ranks = words[1]
        bases = [self._placed(memory, launch, base) for base in words[2 : 2 + ranks]]
        device = _memory_of(next(iter(launch.places.values())))
        context = device.empty(2 + ranks + TAIL, "int64")
        device.write(context, [words[0], ranks, *bases, *[0] * TAIL])
        self._tracing = Tracing(device, words[0], ranks, context[-TAIL:])
        launch.arguments[name] = context

    def enable(self) -> None:
        self._tracing.enable(MAX_EVENTS)

    def write(self, file: str) -> str:
        from .export import write_ranks

        events = self._tracing.events()
        write_ranks(file, [events])
        return f"wrote {file}: {events.kept} events of rank {events.rank}, {events.dropped} dropped"

    def _context(self, script: dict[str, Any], memory: Any) -> tuple[str, list[int]]:
        found = []
        for name, view in script["ARGUMENTS"].items():
            if getattr(view, "dtype", None) != "int64" or len(view.shape) != 1 or view.strides != (1,):
                continue
            content = memory.read(view.region, "pre")[view.offset : view.offset + view.nbytes]
            words = list(struct.unpack(f"<{view.shape[0]}q", content))
            if len(words) > TAIL + 2 and len(words) == 2 + words[1] + TAIL and 0 <= words[0] < words[1]:
                found.append((name, words))
        if len(found) == 1:
            return found[0]
        raise self._error(
            "LAUNCH_IMPOSSIBLE",
            f"{len(found)} of the arguments look like the context tensor of kernloop.tracing ({', '.join(name for name, _ in found) or 'none'})",
            "pass get_device_context() to the kernel, once",
        )

    def _placed(self, memory: Any, launch: Any, address: int) -> int:
        """Current address of memory captured at this address."""
        for name, region in memory.regions.items():
            offset = address - int(region["base"], 16)
            if 0 <= offset < region["size"]:
                return int(launch.place(name).data_ptr()) + offset
        raise self._error(
            "LAUNCH_IMPOSSIBLE",
            f"the heap of a rank lay at {address:#x}, which is in no region of the capture",
            "such a kernel can be edited and validated, but not traced by itself: run the app with tracing",
        )


def _memory_of(place: Any) -> Any:
    """Memory of the device that has the launch's arrays."""
    from .memory import SoftgpuMemory, TorchMemory

    return TorchMemory() if type(place).__module__.split(".")[0] == "torch" else SoftgpuMemory()
