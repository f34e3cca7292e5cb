"""Python values as the text of an expression that gives them again, where there is one."""

import math


def expression(value):
    """{'python': text}, {'function': place} for what is compiled itself, or {'unknown': type}."""
    text = _text(value)
    if text is not None:
        return {"python": text}
    place = function_place(value)
    if place is not None:
        return {"function": place}
    return {"unknown": f"{type(value).__module__}.{type(value).__qualname__}"}


def function_place(value):
    """Where a @triton.jit function (or one of Gluon, or a constexpr function) is defined."""
    inner = getattr(value, "fn", None)
    while inner is not None and not hasattr(inner, "__code__"):
        value, inner = inner, getattr(inner, "fn", None)
    if inner is None or not hasattr(value, "raw_src"):
        return None
    return {"module": inner.__module__, "qualname": inner.__qualname__}


def _text(value):
    if value is None or isinstance(value, (bool, int, str)) and type(value) in (bool, int, str):
        return repr(value)
    if type(value) is float:
        return repr(value) if math.isfinite(value) else f"float('{value}')"
    if type(value) in (tuple, list):
        parts = [_text(part) for part in value]
        if None in parts:
            return None
        inner = ", ".join(parts) + ("," if len(parts) == 1 else "")
        return f"({inner})" if type(value) is tuple else f"[{', '.join(parts)}]"
    kind = type(value)
    if kind.__module__ == "triton.language.core":
        if kind.__name__ == "constexpr":
            inner = _text(value.value)
            return None if inner is None else f"tl.constexpr({inner})"
        if kind.__name__ == "dtype":
            return f"tl.{_dtype_names.get(value.name, value.name)}" if value.name.isidentifier() else None
        if kind.__name__ == "pointer_type" and _text(value.element_ty) is not None:
            return f"tl.pointer_type({_text(value.element_ty)})"
    return None


# triton.language calls them otherwise than they call themselves.
_dtype_names = {
    "fp8e4nv": "float8e4nv",
    "fp8e4b8": "float8e4b8",
    "fp8e4b15": "float8e4b15",
    "fp8e5": "float8e5",
    "fp8e5b16": "float8e5b16",
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
    "fp64": "float64",
}
