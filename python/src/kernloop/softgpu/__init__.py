"""The software GPU through its HSA runtime: memory, code objects, dispatches. Independent of Triton."""

from .device import Device, Kernel, open_device

__all__ = ["Device", "Kernel", "open_device"]
