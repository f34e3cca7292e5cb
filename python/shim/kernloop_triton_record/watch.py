"""The function that stands before a launcher: a launch that was seen before costs a look into a set, and nothing else."""

# Before the arguments: the grid, stream, function, packed metadata, launch metadata and two hooks (python/triton/runtime/jit.py, 3.5 to 3.8).
LEADING = 9


class Everything:
    """In place of the set of what was seen, once no more is watched."""

    def __contains__(self, key):
        return True


def watched(launcher, types, seen, see):
    """
    `launcher` with a look first. `types` are those of Triton's signature, one for each argument; `see(args, key)` is called with what is
    not in `seen`, and adds it. The function is written for these types: one line of Python, whose every step is one of the interpreter.
    """
    values = [f"v{index}" for index in range(len(types))]
    # What reaches the kernel: other views of the same memory are the same launch to it, and constants are the same for all.
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
    # A bound method is called faster than the object whose class has it.
    scope = {"seen": seen, "see": see, "other": lambda args: _see_other(args, scope), "launch": getattr(launcher, "__call__", launcher)}
    exec(compile(text, "<kernloop: a watched launch>", "exec"), scope)
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
