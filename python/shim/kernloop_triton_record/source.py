"""Which functions, constants and files a kernel is compiled from, as they are in this process."""

import ast
import importlib.util
import inspect
import linecache
import os
import sys
import tokenize
import types

from .values import expression, function_place

# A kernel with more is described as far as that.
MAX_FUNCTIONS = 256
MAX_FILE_BYTES = 4 << 20
MAX_FILES = 64


def describe(kernel, store):
    """The kernel and, transitively, what it calls and reads from its modules."""
    functions, globals_used, files = {}, {}, {}
    waiting = [kernel]
    while waiting and len(functions) < MAX_FUNCTIONS:
        jitted = waiting.pop(0)
        key = id(jitted)
        if key in functions:
            continue
        function = jitted.fn
        functions[key] = _function(jitted)
        _add_file(function, files, store)
        for name, value in _names_used(function):
            if isinstance(value, types.ModuleType):
                waiting += _functions_of(value, function)
            elif function_place(value) is not None:
                waiting.append(_innermost(value))
            elif _is_constant(value):
                globals_used[(function.__module__, name)] = {
                    "module": function.__module__,
                    "name": name,
                    "value": expression(value),
                }
    for path, file in list(files.items()):
        _add_imported(file, path, files, store)
    return {
        "functions": list(functions.values()),
        "globals": list(globals_used.values()),
        "files": list(files.values()),
    }


def _innermost(value):
    while not hasattr(value, "raw_src"):
        value = value.fn
    return value


def _function(jitted):
    function = jitted.fn
    return {
        "module": function.__module__,
        "qualname": function.__qualname__,
        # As the line tables of the code have it.
        "file": function.__code__.co_filename,
        # Line of the first decorator, from 1.
        "line": jitted.starting_line_number,
        "source": "".join(jitted.raw_src),
    }


def _names_used(function):
    """Names that the code may mean, with what they are: attributes are among them, which only adds what is not needed."""
    closure = inspect.getclosurevars(function).nonlocals
    for name in sorted(_names_of(function.__code__)):
        if name in closure:
            yield name, closure[name]
        elif name in function.__globals__:
            yield name, function.__globals__[name]


def _names_of(code):
    names = {*code.co_names, *code.co_freevars}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names_of(constant)
    return names


def _functions_of(module, user):
    """Of a module that the code reads attributes of: `helpers.gelu`."""
    if module.__name__.split(".")[0] == "triton":
        return []
    found = (getattr(module, name, None) for name in _names_of(user.__code__))
    return [_innermost(value) for value in found if value is not None and function_place(value) is not None]


def _is_constant(value):
    """What Triton lets a kernel read from its module, and what only looks like it."""
    module = type(value).__module__
    if module == "triton.language.core":
        return type(value).__name__ in ("constexpr", "dtype")
    return isinstance(value, (bool, int, float, str, tuple))


def _add_file(function, files, store):
    scope = function.__globals__
    _add(function.__code__.co_filename, function.__module__, scope, files, store)


def _add(code_path, name, scope, files, store):
    path = os.path.abspath(code_path)
    if path in files:
        return
    text = _text_of(path)
    files[path] = {
        "path": path,
        "code_path": code_path,
        "module": name,
        "package": scope.get("__package__"),
        "is_package": "__path__" in scope,
        "text": None if text is None else store.put_text(text),
    }


def _add_imported(file, path, files, store):
    """Modules beside it that it imports names from: the constants of a kernel are often defined in one of their own."""
    text = _text_of(path)
    try:
        statements = ast.parse(text or "").body
    except SyntaxError:
        return
    for statement in statements:
        if not isinstance(statement, ast.ImportFrom) or len(files) >= MAX_FILES:
            continue
        named = "." * statement.level + (statement.module or "")
        try:
            name = importlib.util.resolve_name(named, file["package"] or "")
        except ImportError:
            continue
        module = sys.modules.get(name)
        source = getattr(module, "__file__", None)
        if source is None or not source.endswith(".py") or os.path.abspath(source) in files:
            continue
        if not _is_beside(name, source, file, path):
            continue
        _add(source, name, module.__dict__, files, store)
        _add_imported(files[os.path.abspath(source)], os.path.abspath(source), files, store)


def _is_beside(name, source, file, path):
    """Of the same package, or for a program without one of the same folder."""
    top = name.split(".")[0]
    if top in sys.stdlib_module_names or top == "triton":
        return False
    if file["package"]:
        return top == file["package"].split(".")[0]
    return os.path.abspath(source).startswith(os.path.dirname(path) + os.sep) and "site-packages" not in source


def _text_of(path):
    """As it was when the function was decorated, where Python still has that; it may be gone from the disk since."""
    cached = linecache.cache.get(path)
    if cached is not None and len(cached) == 4:
        return "".join(cached[2])
    try:
        if os.path.getsize(path) > MAX_FILE_BYTES:
            return None
        with tokenize.open(path) as file:
            return file.read()
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None
