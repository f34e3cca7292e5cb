"""The loaded HSA runtime: functions with checked statuses, agent and pools."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import byref, c_char_p, c_uint32, c_uint64
from typing import Any

from ..errors import KernloopError
from . import abi
from .library import find_runtime


class Runtime:
    def __init__(self, path: str | None = None) -> None:
        self.path = path or find_runtime()
        self._library = abi.load(self.path)
        self.call("hsa_init")
        self._extension = self._find_extension()
        self.agent = self._find_agent()
        self.device_pool = self._find_pool(self.agent, lambda flags: True)
        self.kernarg_pool = self._kernarg_pool()
        self.target = self._text(abi.AGENT_NAME)
        self.wave_size = self.agent_info(abi.AGENT_WAVEFRONT_SIZE)
        self.ticks_per_second = self._ticks()

    def raw(self, name: str) -> Callable[..., Any]:
        return getattr(self._library, name)  # type: ignore[no-any-return]

    def call(self, name: str, *arguments: Any) -> None:
        status = self.raw(name)(*arguments)
        if status != abi.SUCCESS:
            raise KernloopError(
                "DEVICE_UNAVAILABLE",
                f"{name} of {self.path} answers: {self.describe(status)}",
                "what the software GPU wrote on stderr says more; KERNLOOP_SOFTGPU_LOG=1 makes it write more",
            )

    def describe(self, status: int) -> str:
        text = c_char_p()
        known = self.raw("hsa_status_string")(status, byref(text)) == abi.SUCCESS and text.value
        return f"{text.value.decode()} ({status})" if known and text.value else f"status {status}"

    def report(self, signal: int) -> abi.Report | None:
        """Report of the dispatch that completed with the signal, or of the last one (0)."""
        report = abi.Report(struct_size=ctypes.sizeof(abi.Report))
        status = self._extension.dispatch_report(signal, byref(report))
        return report if status == abi.SUCCESS else None

    def agent_info(self, attribute: int) -> int:
        value = c_uint32()
        self.call("hsa_agent_get_info", self.agent, attribute, byref(value))
        return value.value

    def _text(self, attribute: int) -> str:
        text = ctypes.create_string_buffer(64)
        self.call("hsa_agent_get_info", self.agent, attribute, text)
        return text.value.decode()

    def _find_extension(self) -> abi.Extension:
        """The extension table exists only on the software GPU, whose memory is the host's, as this package requires."""
        table = abi.Extension()
        status = self.raw("hsa_system_get_major_extension_table")(abi.SOFTGPU_EXTENSION, 1, ctypes.sizeof(table), byref(table))
        if status != abi.SUCCESS:
            raise KernloopError(
                "RUNTIME_OTHER",
                f"{self.path} is not the software GPU of Kernloop",
                "let LD_LIBRARY_PATH lead to the lib/softgpu of its native build",
            )
        return table

    def _ticks(self) -> int:
        value = c_uint64()
        self.call("hsa_system_get_info", abi.SYSTEM_TIMESTAMP_FREQUENCY, byref(value))
        return value.value

    def _agents(self) -> list[int]:
        agents: list[int] = []

        def visit(agent: int, _: object) -> int:
            agents.append(agent)
            return abi.SUCCESS

        self.call("hsa_iterate_agents", abi.AgentCallback(visit), None)
        return agents

    def _find_agent(self) -> int:
        for agent in self._agents():
            kind = c_uint32()
            self.call("hsa_agent_get_info", agent, abi.AGENT_DEVICE, byref(kind))
            if kind.value == abi.DEVICE_GPU:
                return agent
        raise KernloopError("DEVICE_UNAVAILABLE", f"{self.path} shows no GPU", "set KERNLOOP_SOFTGPU to gfx90a, gfx1030, gfx942 or gfx1100")

    def _find_pool(self, agent: int, fits: Callable[[int], bool]) -> int:
        pools: list[int] = []

        def visit(pool: int, _: object) -> int:
            segment, flags, allocates = c_uint32(), c_uint32(), ctypes.c_bool()
            for attribute, value in (
                (abi.POOL_SEGMENT, segment),
                (abi.POOL_FLAGS, flags),
                (abi.POOL_MAY_ALLOCATE, allocates),
            ):
                self.raw("hsa_amd_memory_pool_get_info")(pool, attribute, byref(value))
            if segment.value == abi.SEGMENT_GLOBAL and allocates.value and fits(flags.value):
                pools.append(pool)
            return abi.SUCCESS

        self.call("hsa_amd_agent_iterate_memory_pools", agent, abi.PoolCallback(visit), None)
        return pools[0] if pools else 0

    def _kernarg_pool(self) -> int:
        for agent in self._agents():
            if pool := self._find_pool(agent, lambda flags: bool(flags & abi.POOL_FLAG_KERNARG)):
                return pool
        raise KernloopError("DEVICE_UNAVAILABLE", f"{self.path} has no memory for kernel arguments", "rebuild it")
