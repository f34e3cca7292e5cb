"""Triton's driver for the software GPU (triton/backends/driver.py, DriverBase)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from triton.backends.amd.compiler import HIPBackend
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from ..errors import KernloopError
from ..softgpu import Device, open_device
from .arguments import host_ranges
from .array_types import distinguish_array_types
from .launcher import Launcher, LoadedKernel, work
from .numpy_arguments import explain_numpy_arguments

_INT32_MAX = 2**31 - 1
_LDS_BYTES = 65536


class Utilities:
    def __init__(self, device: Device) -> None:
        self._device = device

    def get_device_properties(self, _device: int) -> dict[str, Any]:
        """Properties as in Triton's HIP driver that the software GPU has; it has no clocks."""
        device = self._device
        return {
            "arch": device.target,
            "warpSize": device.wave_size,
            "max_shared_mem": _LDS_BYTES,
            "max_num_regs": 65536,
            "multiprocessor_count": device.compute_units,
            "max_threads_per_sm": device.waves_per_unit * device.wave_size,
            "cooperativeLaunch": 0,
        }

    def load_binary(self, name: str, binary: bytes, shared: int, _device: int) -> tuple[Kernel_, LoadedKernel, int, int, int]:
        kernel = self._device.load(binary, name)
        facts = kernel.facts
        return kernel, LoadedKernel(self._device, kernel), facts.registers, facts.spilled_registers, facts.max_threads


Kernel_ = Any  # handles to Triton


class SoftgpuDriver(DriverBase):  # type: ignore[misc]
    def __init__(self) -> None:
        self.device = open_device()
        self.utils = Utilities(self.device)
        distinguish_array_types()
        explain_numpy_arguments()
        HIPBackend.is_within_2gb = staticmethod(self._is_within_2gb)

    def launcher_cls(self, src: Any, metadata: Any) -> Launcher:
        return Launcher(self.device, src, metadata)

    def _is_within_2gb(self, argument: Any) -> bool:
        """Whether Triton may address it with 32 bits. Triton's own function needs PyTorch."""
        if hasattr(argument, "ptr_range"):
            return bool(argument.ptr_range() <= _INT32_MAX)
        ranges = host_ranges(argument)
        if ranges is not None:
            return ranges[0].size <= _INT32_MAX
        size = self.device.size_behind(argument.data_ptr())
        return size is not None and size <= _INT32_MAX

    @staticmethod
    def is_active() -> bool:
        return True

    def map_python_to_cpp_type(self, ty: str) -> str:
        from triton.backends.amd.driver import ty_to_cpp

        return str(ty_to_cpp(ty))

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("hip", self.device.target, self.device.wave_size)

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: int) -> None:
        if device != 0:
            raise KernloopError("USAGE", f"there is no device {device}", "the software GPU is device 0")

    def get_current_stream(self, _device: int) -> int:
        return 0

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device("cpu")

    def get_benchmarker(self) -> Callable[..., list[float]]:
        return executed_wave_instructions

    def get_device_interface(self) -> Any:
        raise KernloopError(
            "UNSUPPORTED_LAUNCH",
            "the software GPU has no clock: a time of its kernels says nothing about a GPU",
            "measure on a GPU; `kernloop replay` counts instructions, memory transactions and divergence",
        )


def executed_wave_instructions(kernel_call: Callable[[], Any], *, quantiles: Sequence[float] | None = None, **_: Any) -> Any:
    """Benchmarker for the autotuner: executed wave-instructions of one call, which are not times and the same in every
    run."""
    before = work.wave_instructions
    kernel_call()
    executed = float(work.wave_instructions - before)
    return executed if quantiles is None else [executed] * len(quantiles)
