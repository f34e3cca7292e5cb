"""Memory of a rank's device, on the software GPU (NumPy) and with PyTorch: the operations that tracing needs."""

from __future__ import annotations

import contextlib
from typing import Any


class SoftgpuMemory:
    backend = "softgpu"
    device_name = "software GPU"

    def __init__(self) -> None:
        from ..softgpu import open_device

        self.device: Any = open_device()
        self.target = f"amd-{self.device.target}"

    def empty(self, count: int, dtype: str) -> Any:
        from ..triton import empty

        return empty(count, dtype)

    def view(self, array: Any, dtype: str) -> Any:
        return array.view(dtype)

    def fill(self, array: Any, value: Any) -> None:
        array[...] = value

    def write(self, array: Any, values: list[int]) -> None:
        array[...] = values

    def to_numpy(self, array: Any) -> Any:
        import numpy

        return numpy.array(array)

    def bulk(self, arrays: list[Any]) -> list[Any]:
        return [self.to_numpy(array) for array in arrays]

    def dtype_name(self, dtype: Any) -> str:
        import numpy

        return numpy.dtype("float32" if dtype is None else dtype).name

    def itemsize(self, dtype: str) -> int:
        import numpy

        return numpy.dtype(dtype).itemsize

    def reshape(self, array: Any, shape: tuple[int, ...]) -> Any:
        return array.reshape(shape)

    def current(self) -> contextlib.AbstractContextManager[Any]:
        return contextlib.nullcontext()

    def synchronize(self) -> None:
        """Launches have finished when they return."""


class TorchMemory:
    def __init__(self, index: int | None = None) -> None:
        import torch

        self._torch = torch
        self.device: Any = torch.device("cuda", torch.cuda.current_device() if index is None else index)
        properties = torch.cuda.get_device_properties(self.device)
        self.device_name = str(properties.name)
        self.backend = "hip" if torch.version.hip else "cuda"
        self.target = (
            f"amd-{properties.gcnArchName.split(':')[0]}" if torch.version.hip else f"cuda-sm_{properties.major}{properties.minor}"
        )

    def empty(self, count: int, dtype: str) -> Any:
        return self._torch.empty(count, dtype=getattr(self._torch, dtype), device=self.device)

    def view(self, array: Any, dtype: str) -> Any:
        return array.view(getattr(self._torch, dtype))

    def fill(self, array: Any, value: Any) -> None:
        array.fill_(value)

    def write(self, array: Any, values: list[int]) -> None:
        array.copy_(self._torch.tensor(values, dtype=array.dtype))

    def to_numpy(self, array: Any) -> Any:
        return array.cpu().numpy()

    def bulk(self, arrays: list[Any]) -> list[Any]:
        """Packs arrays on the device, to copy them at once."""
        import numpy

        parts = [array.contiguous().view(self._torch.uint8) for array in arrays]
        packed = self._torch.cat(parts).cpu().numpy()
        names = [str(array.dtype).removeprefix("torch.") for array in arrays]
        ends = numpy.cumsum([part.numel() for part in parts])
        return [packed[end - part.numel() : end].view(name) for end, part, name in zip(ends, parts, names, strict=True)]

    def dtype_name(self, dtype: Any) -> str:
        return str(self._torch.get_default_dtype() if dtype is None else dtype).removeprefix("torch.")

    def itemsize(self, dtype: str) -> int:
        return int(getattr(self._torch, dtype).itemsize)

    def reshape(self, array: Any, shape: tuple[int, ...]) -> Any:
        return array.view(shape)

    def current(self) -> contextlib.AbstractContextManager[Any]:
        return self._torch.cuda.device(self.device)  # type: ignore[no-any-return]

    def synchronize(self) -> None:
        self._torch.cuda.synchronize(self.device)
