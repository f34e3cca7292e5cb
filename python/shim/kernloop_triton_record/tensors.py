"""The views that a launch was passed, so that they can be made again exactly."""

from .values import expression


def describe_argument(name, value):
    if hasattr(value, "data_ptr"):
        return {"name": name, "tensor": _tensor(value)}
    return {"name": name, "value": expression(value)}


def _tensor(value):
    """In elements; a storage is the whole allocation that the tensor is a view of, as far as its library tells."""
    shape = [int(extent) for extent in getattr(value, "shape", ())]
    pointer = int(value.data_ptr())
    tensor = {"dtype": str(value.dtype).split(".")[-1], "shape": shape, "pointer": hex(pointer), "kind": type(value).__module__.split(".")[0]}
    if callable(getattr(value, "stride", None)):  # PyTorch
        storage = value.untyped_storage()
        return tensor | {
            "strides": [int(stride) for stride in value.stride()],
            "offset": int(value.storage_offset()),
            "storage": {"pointer": hex(storage.data_ptr()), "bytes": int(storage.nbytes())},
        }
    if hasattr(value, "strides") and hasattr(value, "itemsize"):  # NumPy counts bytes
        return tensor | _numpy_view(value, pointer)
    return tensor


def _numpy_view(value, pointer):
    size = int(value.itemsize)
    root = value
    while getattr(root, "base", None) is not None and hasattr(root.base, "nbytes") and hasattr(root.base, "data_ptr"):
        root = root.base
    start = int(root.data_ptr())
    if any(int(stride) % size for stride in value.strides) or (pointer - start) % size:
        return {"strides": None, "byte_strides": [int(stride) for stride in value.strides]}
    return {
        "strides": [int(stride) // size for stride in value.strides],
        "offset": (pointer - start) // size,
        "storage": {"pointer": hex(start), "bytes": int(root.nbytes)},
    }
