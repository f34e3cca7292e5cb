"""The app's own grid as text, so that it can be computed for another configuration: `lambda meta: (triton.cdiv(n, meta['BLOCK']),)`."""

import ast
import functools
import inspect
import textwrap
import types

from .values import _text


# TorchInductor's kinds of grids that are blocks of each axis, and nothing else.
_INDUCTOR_AXES = {"Grid1D": "x", "Grid2D": "xy", "Grid3D": "xyz"}


def inductor_grid(owner):
    """TorchInductor computes it in code of its own, with the configuration written in; its kind says the formula. Else None."""
    known = getattr(owner, "inductor_meta", None)
    axes = _INDUCTOR_AXES.get(known.get("grid_type")) if isinstance(known, dict) else None
    if axes is None:
        return None
    # If an axis has no block, each program has one element of it.
    extents = [f"-(-meta['{axis}numel'] // meta.get('{axis.upper()}BLOCK', 1))" for axis in axes]
    return {"python": f"def grid(meta):\n    return ({', '.join(extents)},)"}


def describe_grid(grid):
    """`def grid(meta)` with what it reads, or why there is none. That it gives what was launched is for its reader to try."""
    if grid is None or not hasattr(grid, "__code__"):
        return {"python": None, "why": "the app gave numbers"}
    try:
        tree = _tree_of(grid.__code__, grid.__name__)
    except (OSError, TypeError, SyntaxError, ValueError):
        return {"python": None, "why": "its source is not at hand"}
    if tree is None:
        return {"python": None, "why": "its source is not at hand"}
    text, parameter = tree
    lines, unknown = _values_of(grid)
    if unknown:
        return {"python": None, "why": f"it reads {', '.join(unknown)}", "source": text}
    body = text if text.startswith("def ") else f"def grid({parameter}):\n    return {text}"
    return {"python": "\n".join([*lines, "", "", body]) if lines else body}


@functools.lru_cache(256)
def _tree_of(code, name):
    """A lambda is made anew for every launch, from the same code."""
    source = textwrap.dedent(inspect.getsource(code))
    if name != "<lambda>":
        found = ast.parse(source).body[0]
        if not isinstance(found, ast.FunctionDef) or len(found.args.args) != 1:
            raise ValueError(source)
        found.name, found.decorator_list = "grid", []
        return ast.unparse(found), found.args.args[0].arg
    found = [node for node in _lambdas(source) if len(node.args.args) == 1]
    # If a statement has several, the one with the function's own marks is chosen.
    same = [node for node in found if _marks(_compiled(node)) == _marks(code)]
    chosen = same or (found if len(found) == 1 else [])
    return (ast.unparse(chosen[0].body), chosen[0].args.args[0].arg) if chosen else None


def _compiled(node):
    module = compile(ast.Expression(node), "<grid>", "eval")
    return next(constant for constant in module.co_consts if isinstance(constant, types.CodeType))


def _marks(code):
    """A variable that was free in a function is global in a text of its own."""
    constants = [constant for constant in code.co_consts if not isinstance(constant, types.CodeType)]
    return code.co_varnames[: code.co_argcount], repr(constants), {*code.co_names, *code.co_freevars}


def _lambdas(source):
    """Of a statement, or of the part of one that `inspect` gives."""
    start = source.find("lambda")
    while start >= 0:
        for end in range(len(source), start, -1):
            try:
                tree = ast.parse(source[start:end].strip(), mode="eval")
            except SyntaxError:
                continue
            if isinstance(tree.body, ast.Lambda):
                yield tree.body
                break
        start = source.find("lambda", start + 1)


_MODULES = {"triton", "math"}


def _values_of(function):
    closure = inspect.getclosurevars(function)
    lines, unknown = [], []
    for name, value in sorted({**closure.globals, **closure.nonlocals}.items()):
        if isinstance(value, types.ModuleType) and value.__name__.split(".")[0] in _MODULES:
            lines.append(f"import {value.__name__}" + ("" if value.__name__ == name else f" as {name}"))
        elif _text(value) is not None and not _text(value).startswith("tl."):
            lines.append(f"{name} = {_text(value)}")
        elif getattr(value, "__module__", "").split(".")[0] == "triton" and hasattr(value, "__name__"):
            lines.append(f"from {value.__module__} import {value.__name__}" + ("" if value.__name__ == name else f" as {name}"))
        else:
            unknown.append(name)
    return lines, unknown
