"""What reproducer.py of a Triton kernel is made of: compiles kernel_variant.py as the app did, and launches it on the captured memory.

Needs Triton and nothing else to compile; to launch, NumPy and Kernloop's driver (software GPU) or PyTorch (GPU). Copied here by
`kernloop generate`, so that the reproducer stands alone.
"""

from __future__ import annotations

import argparse
import ctypes
import ctypes.util
import hashlib
import importlib
import importlib.abc
import importlib.util
import json
import linecache
import os
import struct
import sys
import types
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLACES = {"capture": HERE / "capture", "recipe": HERE / "pristine" / "recipe.json"}


def stand_in(folder):
    """For the runtime that the reproducer in this folder came without."""
    global HERE
    HERE = folder
    PLACES.update(capture=folder / "capture", recipe=folder / "pristine" / "recipe.json")


class ReproducerError(Exception):
    """With a code of Kernloop, what happened, and what to do next."""

    def __init__(self, code, what, hint):
        super().__init__(f"{code}: {what}\nwhat to do: {hint}")
        self.code, self.what, self.hint = code, what, hint


# --- The source ---------------------------------------------------------------------------------------------------------------


class _Modules(importlib.abc.MetaPathFinder):
    """The modules of the app that lie here, under the names that they had there; nothing else is shadowed."""

    def __init__(self, places, untouched):
        self._places = dict(places)
        self._untouched = untouched
        self._packages = {".".join(name.split(".")[:length]) for name in places for length in range(1, name.count(".") + 1)}
        self.opened = []

    def find_spec(self, name, path=None, target=None):
        place = self._places.get(name)
        is_package = name in self._packages
        if place is None and name.split(".")[0] in {package.split(".")[0] for package in self._packages}:
            # A module that was added since.
            added = f"deps/{name.replace('.', '/')}.py"
            place = added if (HERE / added).exists() else None
        if place is None and not is_package:
            return None
        loader = _Loader(name, None if place is None else place, self)
        spec = importlib.util.spec_from_loader(name, loader, is_package=is_package)
        if is_package:
            spec.submodule_search_locations = [str(HERE / "deps" / name.replace(".", "/"))]
        return spec

    def original_of(self, place, text):
        return self._untouched.get(place) if self._untouched.get(place, {}).get("sha256") == _digest(text) else None


class _Loader(importlib.abc.Loader):
    def __init__(self, name, place, modules):
        self._name, self._place, self._modules = name, place, modules

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        if self._place is None:
            return
        path = HERE / self._place
        content = path.read_bytes()
        self._modules.opened.append(self._place)
        text = content.decode("utf-8")
        module.__file__ = str(path)
        execute(text, str(path), self._modules.original_of(self._place, content), module)


def execute(text, path, original, module):
    """
    Untouched, the code gets the file name and the line numbers that it had in the app: both are in the line tables of what Triton
    compiles, so that only then the very same code object can come out.
    """
    if original is None or not original.get("code_path"):
        exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)
        return
    lines = text.split("\n")
    placed, generated = {}, list(lines)
    for here, count, there in original["lines"]:
        for index in range(count):
            placed[there + index] = lines[here - 1 + index]
            generated[here - 1 + index] = ""
    # Values that the record gave come first: definitions read them.
    exec(compile("\n".join(generated), path, "exec", dont_inherit=True), module.__dict__)
    spread = [placed.get(number, "") for number in range(1, max(placed, default=0) + 1)]
    name = original["code_path"]
    # Python reads the source of a function from here; an entry without a time is never stale.
    linecache.cache[name] = (sum(map(len, spread)), None, [line + "\n" for line in spread], name)
    exec(compile("\n".join(spread), name, "exec", dont_inherit=True), module.__dict__)


def load_kernel(script):
    """The @triton.jit function, without what the app wrapped around it."""
    module_name, _, qualname = script["KERNEL"].partition(":")
    places = dict(script["MODULES"])
    finder = _Modules({("kernel_variant" if name == "__main__" else name): place for name, place in places.items()}, _untouched())
    sys.meta_path.insert(0, finder)
    if module_name == "__main__":
        module_name = "kernel_variant"
    module = importlib.import_module(module_name)
    name = qualname.split(".")[-1]
    function = getattr(module, name, None)
    if function is None:
        raise ReproducerError(
            "SYMBOL_MISSING",
            f"{places[script['KERNEL'].partition(':')[0]]} defines no {name}",
            "keep the name of the captured kernel",
        )
    # An autotuner has arg_names, too, and a function behind it.
    while not hasattr(function, "raw_src") and hasattr(function, "fn"):
        function = function.fn
    if not hasattr(function, "raw_src"):
        raise ReproducerError("SYMBOL_MISSING", f"{name} is no @triton.jit function", "keep the decorator of the captured kernel")
    return function, finder


def _untouched():
    """Per file: its digest as generated, its lines in the app's file, and the name of that file on the machine of the capture."""
    record = _json(PLACES["capture"] / "triton.json")
    files = ((record.get("compilation") or {}).get("source") or {}).get("files") or []
    paths = {file["module"]: file["code_path"] for file in files}
    modules = (_json(PLACES["recipe"]).get("triton") or {}).get("modules") or []
    return {module["file"]: {**module, "code_path": paths.get(module["module"])} for module in modules}


def _json(path):
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        return {}


def _digest(content):
    return hashlib.sha256(content).hexdigest()


# --- The compilation ----------------------------------------------------------------------------------------------------------


def compile_kernel(script):
    """As the app's launch made Triton compile it; CONSTEXPRS and OPTIONS may be others now. No device is needed."""
    import triton
    from triton.backends.compiler import GPUTarget

    set_environment(script.get("ENVIRONMENT", {}))
    function, finder = load_kernel(script)
    check_signature(function, script)
    signature, constants, attributes = {}, {}, {}
    values = {**script["ARGUMENTS"], **constants_of(script)}
    for index, name in enumerate(function.arg_names):
        signature[name] = script["SIGNATURE"].get(name, "constexpr")
        if signature[name] == "constexpr":
            constants[(index,)] = values[name] if name in values else _default(function, index, name)
        elif name in script["SPECIALISED"]:
            attributes[(index,)] = [list(pair) for pair in script["SPECIALISED"][name]]
    if getattr(function, "is_gluon", lambda: False)():
        from triton.experimental.gluon._runtime import GluonASTSource as Source
    else:
        from triton.compiler import ASTSource as Source
    source = Source(function, signature, constexprs=constants, attrs=attributes)
    try:
        kernel = triton.compile(source, target=GPUTarget(*script["TARGET"]), options=dict(script["OPTIONS"]))
    except Exception as error:
        raise _not_compiled(error) from error
    return kernel, function, finder


def _not_compiled(error):
    """Triton counts lines from the `def` of a function, and tells the cause of an error in a callee apart: lines of files come first."""
    import triton

    opened = {Path(module.__file__) for module in list(sys.modules.values()) if getattr(module, "__file__", None)}
    texts = {path.relative_to(HERE): path.read_text("utf-8") for path in opened if path.is_relative_to(HERE)}
    found, cause = [], error
    while cause is not None:
        source, node = getattr(cause, "src", None), getattr(cause, "node", None)
        path = next((one for one, text in texts.items() if source and source in text), None)
        if path is not None and hasattr(node, "lineno"):
            line = texts[path][: texts[path].index(source)].count("\n") + node.lineno
            found.append(f"{path}:{line}:{node.col_offset + 1}: error: {cause.error_message or 'in this call'}")
        innermost, cause = cause, cause.__cause__
    # The innermost is what is to be corrected, and has its source with it.
    words = "\n".join([*reversed(found), str(innermost)])
    return ReproducerError("COMPILE_FAILED", f"Triton {triton.__version__} does not compile it:\n{words}", "correct the source")


def constants_of(script):
    return {name: value.resolve() if isinstance(value, globals()["function"]) else value for name, value in script["CONSTEXPRS"].items()}


def set_environment(recorded):
    """Variables that Triton takes for part of what decides the code: those of the app, and no others."""
    from triton._C import libtriton

    for name in dict(getattr(libtriton, "get_cache_invalidating_env_vars", dict)()):
        if name not in recorded:
            os.environ.pop(name, None)
    for name, value in recorded.items():
        # A tool of the machine that the app ran on.
        found = value if not name.endswith("_PATH") or os.path.exists(value) else _as_of_torch(value)
        if found is None:
            print(f"the app had {name}={value}, which is not here: the code may differ from the captured one", file=sys.stderr)
        else:
            os.environ[name] = found


def _as_of_torch(path):
    """PyTorch brings an assembler of its own, which TorchInductor has Triton use: that of the PyTorch here."""
    _, of_torch, name = path.rpartition("/torch/bin/")
    package = importlib.util.find_spec("torch") if of_torch else None
    found = Path(package.origin).parent / "bin" / name if package is not None and package.origin else None
    return str(found) if found is not None and found.exists() else None


def check_signature(function, script):
    """A replay passes the bytes that the app passed: the parameters that are no constants have to be those of the captured kernel."""
    captured = [name for name, kind in script["SIGNATURE"].items() if kind != "constexpr"]
    declared = {parameter.name for parameter in function.params if parameter.is_constexpr}
    now = [name for name in function.arg_names if name not in declared and script["SIGNATURE"].get(name) != "constexpr"]
    turned = [name for name in captured if name in declared]
    if now == captured and not turned:
        return
    raise ReproducerError(
        "SYMBOL_MISSING",
        f"{function.__name__} takes {', '.join(now) or 'nothing'}, and the captured launch passed {', '.join(captured) or 'nothing'}",
        "keep the parameters of the captured kernel and their order; new ones can be tl.constexpr, with a value in CONSTEXPRS of reproducer.py",
    )


def _default(function, index, name):
    parameter = function.params[index]
    if parameter.has_default:
        return parameter.default
    raise ReproducerError("SYMBOL_MISSING", f"{name} has no value", "give it one in CONSTEXPRS of reproducer.py")


def launch_of(kernel, script):
    """Programs, threads of a program and bytes of shared memory, as the candidate wants them."""
    metadata = kernel.metadata
    meta = {**script["ARGUMENTS"], **script["OPTIONS"], **script["CONSTEXPRS"]}
    extents = script["grid"](meta)
    extents = [int(extent) for extent in (extents if isinstance(extents, (tuple, list)) else (extents,))]
    if not 1 <= len(extents) <= 3 or min(extents) < 1:
        raise ReproducerError("LAUNCH_IMPOSSIBLE", f"grid() gives {extents}", "return one to three numbers from 1 on")
    clusters = getattr(metadata, "num_ctas", 1)
    return {
        # Devices count blocks, of which a program in a cluster has several.
        "grid": [extents[0] * clusters, *extents[1:]] + [1] * (3 - len(extents)),
        "block": [metadata.num_warps * metadata.target.warp_size, 1, 1],
        "shared": metadata.shared,
        "num_ctas": clusters,
        "global_scratch_size": getattr(metadata, "global_scratch_size", 0),
        "profile_scratch_size": getattr(metadata, "profile_scratch_size", 0),
    }


def write_candidate(kernel, script, finder, output):
    """The code object and, beside it under the same name, what a replay has to know of it."""
    import triton

    extension = next(name for name in ("hsaco", "cubin") if name in kernel.asm)
    content = kernel.asm[extension]
    path = Path(output) if output else HERE / "build" / f"candidate.{extension}"
    path.parent.mkdir(parents=True, exist_ok=True)
    own = sorted({*finder.opened, *(file.name for file in (HERE / "reproducer.py", HERE / Path(__file__).name) if file.exists())})
    facts = {
        "schema": "kernloop.triton-candidate/1",
        "code_object": path.name,
        "code_object_sha256": _digest(content),
        "symbol": kernel.name,
        "triton": triton.__version__,
        "launch": launch_of(kernel, script),
        "sources": {place: _digest((HERE / place).read_bytes()) for place in own},
        "outside": _opened_outside(finder),
        "system": [str(path) for path in Path(triton.__file__).resolve().parents[1].glob(f"triton-{triton.__version__}*.dist-info/RECORD")],
    }
    _replace(path, content)
    _replace(path.with_suffix(".json"), (json.dumps(facts, indent=2) + "\n").encode())
    return path, facts


def _opened_outside(finder):
    """Modules that the kernel's own import, and that are neither here nor Python's, nor installed packages."""
    mine = {str(HERE / place) for place in finder.opened} | {str(HERE / "reproducer.py"), str(Path(__file__).resolve())}
    roots = (sys.prefix, sys.base_prefix, os.path.dirname(os.__file__), *(path for path in sys.path if path.endswith(("site-packages", "dist-packages"))))
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    files -= {getattr(module, "__file__", None) for name, module in sys.modules.items() if name.split(".")[0] == "kernloop"}
    return sorted(file for file in files if file and file not in mine and os.path.isabs(file) and not file.startswith(roots))


def _replace(path, content):
    # Machines that share the folder may have a process of the same number.
    partial = path.with_name(f"{path.name}.partial-{os.uname().nodename}-{os.getpid()}")
    partial.write_bytes(content)
    os.replace(partial, path)


# --- The captured memory ------------------------------------------------------------------------------------------------------


class Memory:
    """Regions of the capture, before and after the dispatch. Every chunk is checked against its digest."""

    def __init__(self):
        folder = PLACES["capture"]
        try:
            self._manifest = json.loads((folder / "capture.json").read_text())
        except FileNotFoundError:
            raise ReproducerError("CAPTURE_MISSING", f"{folder} holds no capture", "capture the kernel again: `kernloop extract` in the app") from None
        except ValueError as error:
            raise ReproducerError("CAPTURE_INVALID", f"{folder / 'capture.json'} is damaged: {error}", "capture again") from None
        self._chunk_bytes = self._manifest["chunk_bytes"]
        self.regions = {region["id"]: region for region in self._manifest["regions"]}
        self._pack = _Pack(folder / "chunks.pack")

    def region(self, name):
        if name in self.regions:
            return self.regions[name]
        raise ReproducerError("CAPTURE_INVALID", f"the capture has no region {name}", f"it has {', '.join(self.regions)}")

    def read(self, name, time):
        region = self.region(name)
        content = bytearray()
        for chunk in region[time]["chunks"]:
            size = min(self._chunk_bytes, region["size"] - len(content))
            content += bytes(size) if chunk is None else self._pack.chunk(chunk, size)
        return bytes(content)


class _Pack:
    """chunks.pack, or a store of chunks: docs/archive-format.md of Kernloop."""

    def __init__(self, path):
        self._path, self._index = path, {}
        if not path.exists():
            return
        size = path.stat().st_size
        with path.open("rb") as file:
            file.seek(max(0, size - 56))
            footer = file.read(56)
            if len(footer) < 56 or not footer.endswith(b"KLPKEND\n"):
                raise ReproducerError("CAPTURE_INVALID", f"{path} is no pack of chunks, or was cut off", "capture again")
            offset, count, digest, _ = struct.unpack("<QQ32s8s", footer)
            if offset + count * 56 > size - 56:
                raise ReproducerError("CAPTURE_INVALID", f"the index of {path} ends beyond the file", "capture again")
            file.seek(offset)
            index = file.read(count * 56)
        if hashlib.sha256(index).digest() != digest:
            raise ReproducerError("CAPTURE_INVALID", f"the index of {path} is damaged", "capture again")
        for name, start, stored, raw, encoding in struct.iter_unpack("<32sQQII", index):
            self._index[name.hex()] = (start, stored, raw, encoding)

    def chunk(self, digest, size):
        content = self._stored(digest, size)
        if content is None or len(content) != size or _digest(content) != digest:
            raise ReproducerError("CHUNK_MISSING", f"the chunk {digest} is missing or damaged", "capture again, or set KERNLOOP_STORE to a store that has it")
        return content

    def _stored(self, digest, size):
        if digest in self._index:
            start, stored, _, encoding = self._index[digest]
            with self._path.open("rb") as file:
                file.seek(start)
                content = file.read(stored)
            return _decompress(content, size) if encoding == 1 else content
        for store in self._stores():
            path = store / digest[:2] / digest
            if path.exists():
                return path.read_bytes()
            if path.with_name(digest + ".zst").exists():
                return _decompress(path.with_name(digest + ".zst").read_bytes(), size)
        return None

    @staticmethod
    def _stores():
        if os.environ.get("KERNLOOP_STORE"):
            yield Path(os.environ["KERNLOOP_STORE"])
        for folder in HERE.parents:
            yield folder / ".kernloop" / "store"


def _decompress(content, size):
    library = _zstd()
    output = ctypes.create_string_buffer(size)
    library.ZSTD_decompress.restype = ctypes.c_size_t
    library.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    written = library.ZSTD_decompress(output, size, content, len(content))
    return output.raw if written == size else None


def _zstd():
    for name in ("libzstd.so.1", ctypes.util.find_library("zstd")):
        try:
            return ctypes.CDLL(name) if name else None
        except OSError:
            continue
    raise ReproducerError("ENVIRONMENT_LIBRARY_MISSING", "libzstd.so.1 is not here, and the capture is compressed with it", "apt-get install libzstd1")


# --- The launch ---------------------------------------------------------------------------------------------------------------

_ITEM_BYTES = {
    "bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8,
    "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8,
    "float8_e5m2": 1, "float8_e4m3fn": 1, "float8_e5m2fnuz": 1, "float8_e4m3fnuz": 1,
}  # fmt: skip


class tensor:
    """A view of a captured region, in elements, as the app had it."""

    def __init__(self, dtype, shape, strides, *, region, offset):
        if dtype not in _ITEM_BYTES:
            raise ReproducerError("USAGE", f"{dtype} is no element type that is known here", f"one of {', '.join(_ITEM_BYTES)}")
        self.dtype, self.shape, self.strides, self.region, self.offset = dtype, tuple(shape), tuple(strides), region, offset
        self.item_bytes = _ITEM_BYTES[dtype]

    def check(self, size):
        """Every element has to lie inside of its region: a view beyond it would read what was never captured."""
        if 0 in self.shape:
            return
        reach = [(extent - 1) * stride * self.item_bytes for extent, stride in zip(self.shape, self.strides)]
        first = self.offset + sum(part for part in reach if part < 0)
        last = self.offset + sum(part for part in reach if part > 0) + self.item_bytes
        if len(self.shape) != len(self.strides) or first < 0 or last > size:
            raise ReproducerError(
                "TENSOR_OUTSIDE",
                f"a tensor of {self.dtype} {list(self.shape)} with strides {list(self.strides)} at byte {self.offset} of {self.region} needs its bytes "
                f"{first} to {last}, and the region has {size}",
                "correct ARGUMENTS of reproducer.py",
            )

    @property
    def nbytes(self):
        size = self.item_bytes
        for extent in self.shape:
            size *= extent
        return size

    def numel(self):
        return self.nbytes // self.item_bytes


class unavailable:
    """An argument that cannot be made again here; the kernel can be compiled, replayed and validated all the same."""

    def __init__(self, what):
        self.what = what


class function:
    """A compiled function that the kernel gets as a constant."""

    def __init__(self, module, name):
        self.module, self.name = module, name

    def resolve(self):
        return getattr(importlib.import_module(self.module), self.name)


class null:
    """A pointer that the app passed as None."""


def run(script, output, events=None):
    """Launches it by Triton's own `kernel[grid](…)` on a copy of the captured memory, and compares with what the app computed. With `events`
    once more, on memory as it was before, with tracing compiled in: the result must be the same, and what it recorded goes into that file."""
    memory = Memory()
    library = _NumPy(script["TARGET"][1]) if script["TARGET"][0] == "hip" and _is_softgpu(memory) else _Torch()
    set_environment(script.get("ENVIRONMENT", {}))
    function, finder = load_kernel(script)
    check_signature(function, script)
    launch = _Launch(script, memory, library)
    if events is not None:
        from kernloop.tracing import replay

        replay.Recorder(script, memory, launch, ReproducerError)  # without tracing, but with the heaps of ranks where they lie now
    kernel = launch.run(function, constants_of(script))
    path, facts = write_candidate(kernel, script, finder, output)
    differing, changed = launch.compare()
    print(f"wrote {os.path.relpath(path)}: {facts['code_object_sha256']}")
    if events is not None:
        print("with tracing compiled in, and on:")
        traced = _Launch(script, memory, library)
        recorder = replay.Recorder(script, memory, traced, ReproducerError)
        recorder.enable()
        traced.run(function, {**constants_of(script), **recorder.constants})
        differing += traced.compare()[0]
        print(recorder.write(events))
    if not changed:
        print("the captured dispatch changes no byte of them, so that this proves nothing")
    return 1 if differing else 0 if changed else 3


class _Launch:
    """The captured memory, placed as it was before the dispatch, and arguments that lie in it."""

    def __init__(self, script, memory, library):
        self._script, self._memory, self._library = script, memory, library
        self._views = {name: value for name, value in script["ARGUMENTS"].items() if isinstance(value, tensor)}
        self.places = {}
        for view in self._views.values():
            view.check(memory.region(view.region)["size"])
            self.place(view.region)
        self.arguments = {}
        for name, value in script["ARGUMENTS"].items():
            if isinstance(value, unavailable):
                raise ReproducerError(
                    "LAUNCH_IMPOSSIBLE", f"the argument {name} is {value.what}, which cannot be made again here", "use recompile, replay and validate"
                )
            is_view = isinstance(value, tensor)
            self.arguments[name] = library.view(self.places[value.region], value) if is_view else None if isinstance(value, null) else value

    def place(self, name):
        if name not in self.places:
            content = self._memory.read(name, "pre")
            self.places[name] = self._library.place(content, int(self._memory.region(name)["base"], 16))
        return self.places[name]

    def run(self, function, constants):
        script = self._script
        meta = {**script["ARGUMENTS"], **script["OPTIONS"], **constants}
        kernel = _launched(function, script["grid"](meta), {**self.arguments, **constants, **script["OPTIONS"]})
        self._library.wait()
        return kernel

    def compare(self):
        """Bytes that are not as the app left them, and regions that the captured dispatch changes."""
        differing = changed = 0
        for name in sorted(self.places):
            actual, expected = self._library.content(self.places[name]), self._memory.read(name, "post")
            count = sum(a != b for a, b in zip(actual, expected)) if actual != expected else 0
            users = ", ".join(argument for argument, view in self._views.items() if view.region == name) or "heap of another rank"
            print(f"{name} ({users}): {count} of {len(expected)} bytes differ from what the app computed")
            differing += count
            changed += expected != self._memory.read(name, "pre")
        return differing, changed


def _launched(function, grid, arguments):
    from triton.compiler.errors import CompilationError

    try:
        return function[grid](**arguments)
    except CompilationError as error:
        raise _not_compiled(error) from error


def _is_softgpu(memory):
    return memory._manifest["device"]["kind"] == "softgpu"


class _NumPy:
    """Arrays in the memory of the software GPU."""

    def __init__(self, target):
        try:
            import kernloop.triton as device
        except ImportError as error:
            raise ReproducerError(
                "ENVIRONMENT_LIBRARY_MISSING", f"the driver of the software GPU is not here: {error}", "pip install the wheel of Kernloop, or set PYTHONPATH to python/src of a checkout"
            ) from error
        device.activate(target)
        self._device = device

    def place(self, content, base):
        import numpy

        # At the same place of a page: what Triton knows of an address is what divides it.
        buffer = self._device.empty(len(content) + 4096, numpy.uint8)
        start = (base - buffer.data_ptr()) % 4096
        buffer[start : start + len(content)] = numpy.frombuffer(content, numpy.uint8)
        return buffer[start : start + len(content)]

    def view(self, buffer, view):
        import numpy

        kinds = {"bfloat16": "uint16", "float8_e5m2": "uint8", "float8_e4m3fn": "uint8", "float8_e5m2fnuz": "uint8", "float8_e4m3fnuz": "uint8"}
        kind = numpy.dtype(kinds.get(view.dtype, view.dtype))
        strides = tuple(stride * kind.itemsize for stride in view.strides)
        array = type(buffer)(view.shape, kind, buffer=buffer, offset=view.offset, strides=strides)
        if view.dtype not in kinds:
            return array
        import triton
        import triton.language as tl

        names = {"float8_e5m2": "float8e5", "float8_e4m3fn": "float8e4nv", "float8_e5m2fnuz": "float8e5b16", "float8_e4m3fnuz": "float8e4b8"}
        return triton.reinterpret(array, getattr(tl, names.get(view.dtype, view.dtype)))

    def wait(self):
        """A launch there ends before it returns."""

    def content(self, buffer):
        return buffer.tobytes()


class _Torch:
    def __init__(self):
        try:
            import torch
        except ImportError as error:
            raise ReproducerError("ENVIRONMENT_LIBRARY_MISSING", f"PyTorch is not here: {error}", "install it beside Triton, to launch on a GPU") from error
        self._torch = torch

    def place(self, content, base):
        torch = self._torch
        buffer = torch.empty(len(content) + 4096, dtype=torch.uint8, device="cuda")
        start = (base - buffer.data_ptr()) % 4096
        part = buffer[start : start + len(content)]
        part.copy_(torch.frombuffer(bytearray(content), dtype=torch.uint8))
        return part

    def view(self, buffer, view):
        torch = self._torch
        kind = getattr(torch, view.dtype)
        empty = torch.empty(0, dtype=kind, device=buffer.device)
        return empty.set_(buffer.untyped_storage(), (buffer.storage_offset() + view.offset) // view.item_bytes, view.shape, view.strides)

    def wait(self):
        self._torch.cuda.synchronize()

    def content(self, buffer):
        return buffer.cpu().numpy().tobytes()


# --- The command line ---------------------------------------------------------------------------------------------------------


def main(script):
    parser = argparse.ArgumentParser(prog="reproducer.py", description=script.get("__doc__"))
    parser.add_argument("--compile-only", action="store_true", help="compile, launch nothing: no device is needed")
    parser.add_argument("--output", help="where the code object goes (build/candidate.*); what a replay needs to know lies beside it")
    parser.add_argument("--capture", type=Path, help="folder of the capture (capture/)")
    parser.add_argument("--recipe", type=Path, help="what is known of the untouched files (pristine/recipe.json)")
    parser.add_argument("--events", metavar="FILE", help="launch it once more with tracing (kernloop.tracing) compiled in, and write what it recorded")
    parser.add_argument("--json", action="store_true", help="tell of errors in one line of JSON")
    options = parser.parse_args()
    PLACES.update({name: given.resolve() for name in PLACES if (given := getattr(options, name)) is not None})
    try:
        if not options.compile_only:
            return sys.exit(run(script, options.output, options.events))
        kernel, _, finder = compile_kernel(script)
        path, facts = write_candidate(kernel, script, finder, options.output)
        if not options.json:
            print(f"wrote {os.path.relpath(path)}: {facts['code_object_sha256']}")
    except Exception as error:
        # Those of the driver have the same.
        if not all(isinstance(getattr(error, name, None), str) for name in ("code", "what", "hint")):
            raise
        if options.json:
            print(json.dumps({"event": "error", "code": error.code, "message": error.what, "hint": error.hint}))
        else:
            print(error, file=sys.stderr)
        sys.exit(1)
