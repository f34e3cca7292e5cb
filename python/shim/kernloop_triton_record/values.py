"""Python values as the text of an expression that gives them again, where there is one."""

import dataclasses
import math
import sys


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
    return _layout(value)


def _layout(value):
    """Of Gluon, whose constants they are: gl.BlockedLayout(…), as the app could have written it."""
    place = _gluon_place(type(value))
    if place is None or not dataclasses.is_dataclass(value):
        return None
    parts = []
    for field in dataclasses.fields(value):
        given = getattr(value, field.name)
        usual = field.default_factory() if field.default_factory is not dataclasses.MISSING else field.default
        text = _text(given)
        if field.init and text is None:
            return None
        if field.init and given != usual:
            parts.append(f"{field.name}={text}")
    return f"{place}({', '.join(parts)})"


def _gluon_place(kind):
    language = "triton.experimental.gluon.language"
    for module, name in ((language, "gl"), *((f"{language}.{part}", f"gl.{part}") for part in _gluon_parts)):
        if kind.__module__.startswith(language) and getattr(sys.modules.get(module), kind.__name__, None) is kind:
            return f"{name}.{kind.__name__}"
    return None


_gluon_parts = ("amd", "amd.cdna3", "amd.cdna4", "amd.rdna3", "amd.rdna4", "nvidia", "nvidia.ampere", "nvidia.hopper", "nvidia.blackwell")


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
