"""The function that stands before a launcher: as little as there can be for a launch that nobody has to know of."""

import ctypes
import os

# Before the arguments: the grid, stream, function, packed metadata, launch metadata and two hooks (python/triton/runtime/jit.py, 3.5 to 3.8).
LEADING = 9


def captures_begun():
    """
    The count of captures that the agent for CUDA keeps in this process, as one of 64 bits in its own memory; None without one. Its
    captures begin and end within the call that launches.
    """
    path = os.environ.get("CUDA_INJECTION64_PATH")
    if not path:
        return None
    try:
        agent = ctypes.CDLL(path, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
        counter = ctypes.c_uint64.in_dll(agent, "kernloop_captures_begun")
    except (OSError, ValueError):
        return None
    return memoryview(counter).cast("B").cast("Q")


def after_captures(launcher, begun, tell):
    """`launcher`, then `tell(args)` where a capture was begun meanwhile; by another thread, perhaps: that launch too is one of the app's."""
    # A bound method is called faster than the object whose class has it.
    scope = {"launch": getattr(launcher, "__call__", launcher), "begun": begun, "known": begun[0], "tell": tell}
    exec(
        """
def run(*args, **kwargs):
    global known
    result = launch(*args, **kwargs)
    if begun[0] != known:
        known = begun[0]
        tell(args)
    return result
""",
        scope,
    )
    return scope["run"], scope


class Everything:
    """In place of the set of what was seen, once no more is watched."""

    def __contains__(self, key):
        return True


def each_distinct(launcher, types, seen, see):
    """
    `launcher` with a look first, where nothing says when a capture begins. `types` are those of Triton's signature, one for each
    argument; `see(args, key)` is called with what is not in `seen`, and adds it. The function is written for these types: one line of
    Python, whose every step is one of the interpreter.
    """
    values = [f"v{index}" for index in range(len(types))]
    # The key is as the kernel sees it: other views of the same memory are the same launch, and constants are the same for all.
    key = ["x", "y", "z", *(part for value, kind in zip(values, types) if (part := _part(value, kind)) is not None)]
    text = f"""
def run(*args, **kwargs):
    try:
        x, y, z, {"_, " * (LEADING - 3)}{"".join(f"{value}, " for value in values)} = args
        key = ({", ".join(key)})
        if key not in seen:
            see(args, key)
    except Exception:
        other(args)
    return launch(*args, **kwargs)
"""
    scope = {"seen": seen, "see": see, "other": lambda args: _see_other(args, scope), "launch": getattr(launcher, "__call__", launcher)}
    exec(text, scope)
    return scope["run"], scope


def _part(value, kind):
    if kind == "constexpr":
        return None
    return f"{value}.data_ptr()" if isinstance(kind, str) and kind.startswith("*") else value


def _see_other(args, scope):
    """Without some of the constants, or with what no set can hold: a list, a descriptor."""
    key = repr([value.data_ptr() if hasattr(value, "data_ptr") else value for value in (*args[:3], *args[LEADING:])])
    if key not in scope["seen"]:
        scope["see"](args, key)
