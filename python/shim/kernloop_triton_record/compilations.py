"""One record for each kernel that Triton compiles, or takes from its cache: what it was made from, and what came out."""

import functools
import hashlib
import os
import platform
import sys

from . import source
from .launches import observe
from .store import Store
from .values import expression

# 3.6 is what python/tests runs; 3.5.1, 3.7.1 and 3.8.0 were tried by hand, compiling for gfx90a.
KNOWN_VERSIONS = ("3.5", "3.6", "3.7", "3.8")

# Options that the target alone decides, or that name a place of this machine.
_NOT_OPTIONS = {"arch", "backend_name", "extern_libs", "target"}


def install(compiler, folder):
    """`compiler` is triton.compiler.compiler, which nobody has taken `compile` from yet."""
    store = Store(folder)
    version = str(getattr(sys.modules.get("triton"), "__version__", "unknown"))
    if ".".join(version.split(".")[:2]) not in KNOWN_VERSIONS:
        store.put("note", {"schema": "kernloop.triton-note/1", "unknown_version": version, "known": KNOWN_VERSIONS})
        return
    original = compiler.compile

    @functools.wraps(original)
    def compile(*args, **kwargs):
        kernel = original(*args, **kwargs)
        try:
            store.put("compile", _describe(kernel, args, kwargs, compiler, version, store))
        except Exception as error:  # never the app's trouble
            _note(store, kernel, error)
        return kernel

    compiler.compile = compile
    observe(compiler, store)


def _note(store, kernel, error):
    name = str(getattr(kernel, "name", "?"))
    try:
        store.put("note", {"schema": "kernloop.triton-note/1", "kernel": name, "failed": f"{type(error).__name__}: {error}"})
    except Exception:
        pass


def _describe(kernel, args, kwargs, compiler, version, store):
    binary = kernel.kernel if isinstance(kernel.kernel, bytes) else bytes(kernel.kernel)
    digest = hashlib.sha256(binary).hexdigest()
    metadata = kernel.metadata._asdict()
    target = metadata["target"]
    record = {
        "schema": "kernloop.triton-compile/1",
        "triton": version,
        "python": platform.python_version(),
        "executable": sys.executable,
        "process": os.getpid(),
        "name": kernel.name,
        "code_object": {"sha256": digest, "bytes": len(binary)},
        "target": {"backend": target.backend, "arch": target.arch, "warp_size": target.warp_size},
        "metadata": _plain(metadata),
        "environment": _environment(compiler, target.backend),
        "function": None,
    }
    src = kernel.src
    jitted = getattr(src, "fn", None)
    if jitted is not None:
        options = kwargs.get("options", args[2] if len(args) > 2 else None)
        record |= _of_function(src, jitted, store)
        record["options"] = _options(options, target, compiler)
    return record


def _of_function(src, jitted, store):
    return {
        "function": {"module": jitted.fn.__module__, "qualname": jitted.fn.__qualname__},
        "dialect": "gluon" if jitted.is_gluon() else "triton",
        "parameters": [
            {"name": parameter.name, "type": _type_text(src.signature[parameter.name]), "constexpr": parameter.is_constexpr}
            for parameter in jitted.params
        ],
        "constexprs": [
            {"path": list(path), "value": expression(value)} for path, value in sorted(src.constants.items())
        ],
        "attributes": [
            {"path": list(path), "value": [list(pair) for pair in value]} for path, value in sorted(src.attrs.items())
        ],
        "source": source.describe(jitted, store),
    }


def _type_text(kind):
    return kind if isinstance(kind, str) else repr(kind)


def _options(options, target, compiler):
    """What the caller asked for beside what it would have got anyway."""
    given = dict(options) if isinstance(options, dict) else dict(getattr(options, "__dict__", {}) or {})
    usual = compiler.make_backend(target).parse_options({}).__dict__
    always = ("num_warps", "num_stages", "num_ctas")
    return {
        name: expression(value)
        for name, value in sorted(given.items())
        if name not in _NOT_OPTIONS and name in usual and (name in always or usual[name] != value)
    }


# Variables that decide the code and are no part of Triton's own key: TorchInductor sets the first to PyTorch's own assembler, which is
# not Triton's.
_TOOLS = ("TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH", "PTXAS_OPTIONS", "TRITON_LIBDEVICE_PATH")


def _environment(compiler, backend):
    """Variables that Triton itself takes for part of what decides the code, and those of the tools that it calls."""
    variables = dict(getattr(compiler, "get_cache_invalidating_env_vars", dict)())
    tools = {name: os.environ[name] for name in _TOOLS if backend == "cuda" and os.environ.get(name)}
    return {str(name): str(value) for name, value in {**variables, **tools}.items()}


# Metadata that a launcher needs beside the arguments.
_METADATA = (
    "num_warps",
    "num_ctas",
    "num_stages",
    "warp_size",
    "shared",
    "cluster_dims",
    "global_scratch_size",
    "global_scratch_align",
    "profile_scratch_size",
    "profile_scratch_align",
    "launch_cooperative_grid",
    "launch_pdl",
    "tmem_size",
    "maxnreg",
)


def _plain(metadata):
    found = {name: metadata[name] for name in _METADATA if name in metadata}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in found.items()
        if value is None or isinstance(value, (bool, int, tuple))
    }
