"""Says what to do where a kernel is called with arrays of NumPy, which Triton does not take."""

from __future__ import annotations

import functools
from typing import Any


def explain_numpy_arguments() -> None:
    """Names the arrays, and their replacement, in Triton's error; launches that succeed are as they were."""
    from triton.runtime.jit import JITFunction

    original = JITFunction.run
    if getattr(original, "kernloop_explains", False):
        return

    @functools.wraps(original)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(self, *args, **kwargs)
        except TypeError as error:
            if "argument of type: numpy.ndarray" not in str(error):
                raise
            raise TypeError(
                f"{error}. The software GPU cannot reach this memory: pass kernloop.triton.array(x) for each NumPy array x, "
                "and read the results in that copy"
            ) from None

    run.kernloop_explains = True  # type: ignore[attr-defined]
    JITFunction.run = run
