"""Launcher that Triton calls for a compiled kernel (triton/compiler/compiler.py, CompiledKernel.run)."""

from __future__ import annotations

import sys
import threading
from typing import Any

from triton.runtime import _allocation

from ..errors import KernloopError
from ..softgpu import Device, Kernel
from .arguments import Launch, Packer, flatten


class Work(threading.local):
    """Work executed by launches of this thread."""

    wave_instructions = 0


work = Work()


class LoadedKernel:
    def __init__(self, device: Device, kernel: Kernel) -> None:
        self.kernel = kernel
        self.packer = Packer(device, kernel)


class Launcher:
    def __init__(self, device: Device, src: Any, metadata: Any) -> None:
        self._device = device
        self._signature = tuple(src.signature.values())
        self._wave_size = metadata.warp_size
        self._profile_scratch = (metadata.profile_scratch_size, metadata.profile_scratch_align)
        self._refuse(metadata)

    def _refuse(self, metadata: Any) -> None:
        if metadata.launch_cooperative_grid:
            raise _unsupported(metadata.name, "a cooperative grid")
        if metadata.num_ctas != 1:
            raise _unsupported(metadata.name, "clusters of programs (num_ctas > 1)")
        if getattr(metadata, "tensordesc_meta", None) and any(metadata.tensordesc_meta):
            raise _unsupported(metadata.name, "tensor descriptors in hardware")

    def __call__(
        self,
        grid_x: int,
        grid_y: int,
        grid_z: int,
        stream: int,
        function: LoadedKernel,
        packed: tuple[int, int, int],
        launch_metadata: Any,
        enter_hook: Any,
        exit_hook: Any,
        *arguments: Any,
    ) -> None:
        if enter_hook is not None:
            enter_hook(launch_metadata)
        blocks = (int(grid_x), int(grid_y), int(grid_z))
        if min(blocks) < 0:
            raise KernloopError("USAGE", f"a grid of {blocks} programs has a negative size", "look at what computes the grid")
        if 0 not in blocks:
            self._launch(blocks, stream, function, packed, arguments)
        if exit_hook is not None:
            exit_hook(launch_metadata)

    def _launch(
        self, blocks: tuple[int, int, int], stream: int, function: LoadedKernel, packed: tuple[int, int, int], arguments: tuple[Any, ...]
    ) -> None:
        warps, _, shared = packed
        threads = warps * self._wave_size
        profile = self._scratch(blocks, stream)
        # On AMD, Triton never requests global scratch.
        scratch = (0, profile.data_ptr() if profile is not None else 0)
        values = list(flatten(self._signature, arguments))
        waves = blocks[0] * blocks[1] * blocks[2] * warps
        hostcalls = self._device.hostcalls(waves, _print) if function.packer.prints else None
        try:
            launch = Launch(blocks, threads, shared, hostcalls.address if hostcalls else 0)
            segment, host = function.packer.pack(values, scratch, launch)
            serve = hostcalls.serve if hostcalls else None
            work.wave_instructions += self._device.launch(function.kernel, blocks, threads, shared, segment, host, serve)
        finally:
            if hostcalls:
                hostcalls.close()

    def _scratch(self, blocks: tuple[int, int, int], stream: int) -> Any:
        size, alignment = self._profile_scratch
        if size == 0:
            return None
        programs = blocks[0] * blocks[1] * blocks[2]
        return _allocation._profile_allocator.get()(programs * size, alignment, stream)


def _print(text: str, is_error: bool) -> None:
    stream = sys.stderr if is_error else sys.stdout
    stream.write(text)
    stream.flush()


def _unsupported(name: str, what: str) -> KernloopError:
    return KernloopError(
        "UNSUPPORTED_LAUNCH", f"{name} wants {what}, which the driver of the software GPU does not do", "launch it without"
    )
