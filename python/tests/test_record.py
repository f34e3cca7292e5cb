"""What Triton compiles in an app is recorded whole, whoever compiles, and the app sees nothing of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

SHIM = Path(__file__).resolve().parents[1] / "shim"

KERNEL = """
import triton, triton.language as tl
from triton.compiler import ASTSource
from triton.backends.compiler import GPUTarget

SCALE = tl.constexpr(2.5)

@triton.jit
def doubled(value):
    return value * SCALE

@triton.jit
def kernel(source, target, n, one, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + places * one, doubled(tl.load(source + places, mask=places < n)), mask=places < n)

def compiled(block, fn=kernel):
    signature = {'source': '*fp32', 'target': '*fp32', 'n': 'i32', 'one': 'constexpr', 'BLOCK': 'constexpr'}
    source = ASTSource(fn, signature, constexprs={(3,): 1, (4,): block}, attrs={(0,): [['tt.divisibility', 16]]})
    return triton.compile(source, target=GPUTarget('hip', 'gfx90a', 64), options={'num_warps': 2})
"""


class App:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.records = folder / "records"
        self.records.mkdir()
        (folder / "kernels.py").write_text(KERNEL)

    def run(self, text: str, *, path: str = "", flags: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        (self.folder / "app.py").write_text(textwrap.dedent(text))
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, [str(SHIM), path])),
            "KERNLOOP_TRITON_DIR": str(self.records),
            "TRITON_CACHE_DIR": str(self.folder / "cache"),
        }
        command = [sys.executable, *flags, "app.py"]
        return subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)

    def all(self, kind: str) -> list[dict]:
        return [json.loads(path.read_text()) for path in sorted(self.records.glob(f"{kind}-*.json"))]


@pytest.fixture
def app(tmp_path: Path) -> App:
    return App(tmp_path)


def test_a_compilation_is_recorded_with_all_that_decides_the_code(app: App) -> None:
    ended = app.run("import hashlib, kernels\nprint(hashlib.sha256(kernels.compiled(256).asm['hsaco']).hexdigest())")
    [record] = app.all("compile")
    assert record["code_object"]["sha256"] == ended.stdout.strip()
    assert record["function"] == {"module": "kernels", "qualname": "kernel"}
    assert [parameter["name"] for parameter in record["parameters"]] == ["source", "target", "n", "one", "BLOCK"]
    # The one that became a constant by its value is told from the one that is declared so.
    assert [parameter["constexpr"] for parameter in record["parameters"]] == [False, False, False, False, True]
    assert record["constexprs"] == [{"path": [3], "value": {"python": "1"}}, {"path": [4], "value": {"python": "256"}}]
    assert record["options"]["num_warps"] == {"python": "2"}
    assert [function["qualname"] for function in record["source"]["functions"]] == ["kernel", "doubled"]
    assert record["source"]["globals"] == [{"module": "kernels", "name": "SCALE", "value": {"python": "tl.constexpr(2.5)"}}]
    [file] = record["source"]["files"]
    assert (app.records / f"source-{file['text']}.txt").read_text() == KERNEL


def test_a_recording_of_ones_own_has_the_same_and_gives_way_to_a_capture(app: App) -> None:
    text = """
        import os, sys
        import kernloop.triton.recording as recording
        try:
            recording.record("mine")
        except RuntimeError as error:
            print(error.code)
        del os.environ["KERNLOOP_TRITON_DIR"]
        sys.meta_path[:] = [finder for finder in sys.meta_path if "kernloop_after_import" not in type(finder).__module__]
        recording.record("mine")
        import kernels
        kernels.compiled(256)
    """
    ended = app.run(text)
    assert ended.stdout.strip() == "USAGE" and ended.returncode == 0, ended.stderr
    [path] = (app.folder / "mine").glob("compile-*.json")
    assert json.loads(path.read_text())["name"] == "kernel" and app.all("compile") == []


def test_what_comes_from_the_cache_is_recorded_too(app: App) -> None:
    app.run("import kernels; kernels.compiled(128)")
    app.run("import kernels; kernels.compiled(128)")
    first, second = app.all("compile")
    assert first["code_object"] == second["code_object"] and first["process"] != second["process"]


def test_threads_and_processes_that_compile_at_once_leave_no_mixed_records(app: App) -> None:
    ended = app.run(
        """
        import concurrent.futures, multiprocessing, kernels

        def some(blocks):
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                list(pool.map(kernels.compiled, blocks))

        if __name__ == "__main__":
            context = multiprocessing.get_context("fork")
            shares = [(16, 32, 64, 128), (16, 32, 64, 128), (128, 64, 32, 16)]
            processes = [context.Process(target=some, args=(share,)) for share in shares]
            for process in processes: process.start()
            for process in processes: process.join()
            print(sum(process.exitcode for process in processes))
        """
    )
    assert ended.stdout.strip() == "0", ended.stderr
    records = app.all("compile")  # each is whole, or it could not be parsed
    assert len(records) == 12 and not app.all("note") and not list(app.records.glob("*.partial"))
    by_block = {}
    for record in records:
        by_block.setdefault(record["constexprs"][1]["value"]["python"], set()).add(record["code_object"]["sha256"])
    assert sorted(by_block, key=int) == ["16", "32", "64", "128"] and all(len(digests) == 1 for digests in by_block.values())
    assert len({record["process"] for record in records}) == 3


def test_a_version_that_is_not_known_is_said_and_left_alone(app: App) -> None:
    ended = app.run(
        """
        import sys
        import kernloop_triton_record.compilations as compilations
        compilations.KNOWN_VERSIONS = ("2.1",)
        import kernels
        kernels.compiled(64)
        print(kernels.triton.compile.__module__)
        """
    )
    assert ended.stdout.strip() == "triton.compiler.compiler", ended.stderr
    [note] = app.all("note")
    assert note["unknown_version"].startswith("3.") and note["known"] == ["2.1"]
    assert app.all("compile") == []


def test_constants_are_written_as_expressions_that_give_them_again() -> None:
    import triton.language as tl
    from triton.experimental.gluon import language as gl

    sys.path.insert(0, str(SHIM))
    try:
        from kernloop_triton_record.values import expression
    finally:
        sys.path.remove(str(SHIM))
    blocked = gl.BlockedLayout([1, 4], [4, 16], [2, 1], [1, 0])
    values = [
        *(3, -2.5, "rows", None, (1,), (2, "x"), [1, [2]], tl.float16, tl.float8e4b8, tl.pointer_type(tl.bfloat16)),
        *(blocked, gl.SliceLayout(1, blocked), gl.AutoLayout(), gl.SwizzledSharedLayout(1, 1, 1, [0]), (blocked, 4)),
        gl.amd.AMDMFMALayout(3, [32, 32, 8], True, [2, 2]),
        gl.DotOperandLayout(0, gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 64, 16]), 2),
    ]
    for value in values:
        assert eval(expression(value)["python"], {"tl": tl, "gl": gl}) == value
    assert eval(expression(tl.constexpr(blocked))["python"], {"tl": tl, "gl": gl}).value == blocked
    assert eval(expression(float("-inf"))["python"]) == float("-inf")
    for value in (object(), (blocked, object()), gl.SliceLayout(1, object())):
        assert "unknown" in expression(value)


def test_the_apps_own_sitecustomize_runs(app: App, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("import sys; sys.own = __file__")
    ended = app.run("import sys, sitecustomize; print(sys.own == sitecustomize.__file__)", path=str(own))
    assert ended.stdout.strip() == "True", ended.stderr


def test_a_python_that_reads_no_environment_works_and_is_not_recorded(app: App) -> None:
    ended = app.run("import sys; sys.path.insert(0, '.')\nimport kernels; kernels.compiled(32); print('ok')", flags=("-I",))
    assert ended.stdout.strip() == "ok" and app.all("compile") == []


def test_the_text_of_a_file_that_is_gone_is_the_one_that_python_kept(app: App) -> None:
    ended = app.run("import os, kernels\nos.unlink('kernels.py')\nkernels.compiled(64)")
    assert ended.returncode == 0, ended.stderr
    [record] = app.all("compile")
    assert record["source"]["files"][0]["text"] is not None


def test_a_file_of_which_nothing_is_left_is_said_to_be_gone(app: App) -> None:
    app.run("import linecache, os, kernels\nos.unlink('kernels.py')\nlinecache.clearcache()\nkernels.compiled(64)")
    [record] = app.all("compile")
    assert record["source"]["files"][0]["text"] is None


def test_a_record_that_cannot_be_written_is_none_of_the_apps_trouble(app: App) -> None:
    ended = app.run("import os, shutil, kernels\nshutil.rmtree(os.environ['KERNLOOP_TRITON_DIR'])\nkernels.compiled(64); print('ok')")
    assert ended.stdout.strip() == "ok", ended.stderr


LAUNCHES = """
import kernels
from triton.compiler.compiler import CompiledKernel
from triton.runtime import driver

class Tensor:
    dtype, shape = "float32", (8, 4)
    def __init__(self, pointer): self.pointer = pointer
    def data_ptr(self): return self.pointer
    def stride(self): return (4, 1)
    def storage_offset(self): return 2
    def untyped_storage(self): return self
    def nbytes(self): return 4096

class Driver:
    launched = []
    class utils:
        get_device_properties = lambda device: {"max_shared_mem": 1 << 16}
        load_binary = lambda *args: (1, 2, 3, 4, 1024)
    get_current_device = lambda self: 0
    get_current_target = lambda self: kernels.GPUTarget("hip", "gfx90a", 64)
    def launcher_cls(self, src, metadata): return self.launched.append

class Launcher:
    def __init__(self, src, metadata): pass
    def __call__(self, *args): Driver.launched.append(args); return "launched"

Driver.launcher_cls = Launcher
driver.set_active(Driver())
a, b = Tensor(0x1000), Tensor(0x2000)
def launch(kernel, *args, grid=(4, 1, 1)):
    return kernel.run(*grid, 0, kernel.function, kernel.packed_metadata, None, None, None, *args)
"""


def test_each_distinct_launch_is_recorded_once(app: App) -> None:
    ended = app.run(
        LAUNCHES
        + """
kernel = kernels.compiled(256)
print(launch(kernel, a, b, 8, 1, 256), type(kernel) is CompiledKernel)
for _ in range(3): launch(kernel, a, b, 8, 1, 256)
launch(kernel, a, a, 8, 1, 256)
launch(kernel, a, b, 9, 1, 256)
launch(kernel, a, b, 8, 1, 256, grid=(5, 1, 1))
# As callers did who leave the constants out; and what no set can hold.
launch(kernel, b, b, 8)
launch(kernel, b, b, 8)
launch(kernel, b, b, [8], 1, 256)
launch(kernel, b, b, [8], 1, 256)
print(len(Driver.launched))
"""
    )
    assert ended.stdout.split() == ["launched", "True", "11"], ended.stderr
    launches = sorted(app.all("launch"), key=lambda record: record["arguments"][0]["tensor"]["pointer"])
    told = [(each["grid"][0], each["arguments"][1]["tensor"]["pointer"], each["arguments"][2]["value"]) for each in launches]
    eight, nine, listed = {"python": "8"}, {"python": "9"}, {"python": "[8]"}
    assert sorted(told, key=str) == sorted(
        [(4, "0x2000", eight), (4, "0x1000", eight), (4, "0x2000", nine), (5, "0x2000", eight), (4, "0x2000", eight), (4, "0x2000", listed)],
        key=str,
    )
    assert launches[0]["arguments"][0]["tensor"] == {
        **{"dtype": "float32", "shape": [8, 4], "pointer": "0x1000", "kind": "__main__", "strides": [4, 1], "offset": 2},
        "storage": {"pointer": "0x1000", "bytes": 4096},
    }
    assert not app.all("note")


def test_with_the_agent_for_cuda_only_a_launch_that_it_captures_is_recorded(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = Path(__file__).resolve().parents[2] / "native" / "build" / "lib" / "libkernloop-capture-cuda.so"
    monkeypatch.setenv("CUDA_INJECTION64_PATH", str(agent))
    ended = app.run(
        LAUNCHES
        + """
import ctypes, os
agent = ctypes.CDLL(os.environ["CUDA_INJECTION64_PATH"])  # as the driver loads it; without a recorder's socket it does nothing
begun = ctypes.c_uint64.in_dll(agent, "kernloop_captures_begun")
target = kernels.GPUTarget
kernels.GPUTarget = lambda *_: target("cuda", 90, 32)
Driver.get_current_target = lambda self: target("cuda", 90, 32)
class Capturing(Launcher):
    def __call__(self, *args):
        if args[9 + 2] == 7: begun.value += 1
        return super().__call__(*args)
Driver.launcher_cls = Capturing
kernel = kernels.compiled(64)
for n in range(9): print(launch(kernel, a, b, n, 1, 64))
"""
    )
    [launched] = app.all("launch")
    assert ended.stdout.split() == ["launched"] * 9 and launched["arguments"][2]["value"] == {"python": "7"}, ended.stderr


def test_the_launch_of_a_kernel_that_another_process_compiled_is_recorded(app: App) -> None:
    # TorchInductor's workers send the attributes of what they compiled; the function itself does not come along.
    ended = app.run(
        LAUNCHES
        + """
made = kernels.compiled(128)
kernel = CompiledKernel.__new__(CompiledKernel)
kernel.__dict__.update({**made.__dict__, "module": None, "function": None, "run": None})
launch(kernel, a, b, 8, 1, 128)
"""
    )
    [launch], [compilation] = app.all("launch"), app.all("compile")
    assert launch["code_object"] == compilation["code_object"]["sha256"], ended.stderr


def test_the_grid_of_torchinductor_is_told_by_its_kind(app: App) -> None:
    ended = app.run(
        LAUNCHES
        + """
class CachingAutotuner:
    def __init__(self, kind): self.inductor_meta = {"grid_type": kind}
    def run(self, kernel, n): launch(kernel, a, b, n, 1, 64)
kernel = kernels.compiled(64)
for n, kind in enumerate(["Grid1D", "Grid2D", "SplitScanGrid"]): CachingAutotuner(kind).run(kernel, n)
"""
    )
    by_kind = {each["arguments"][2]["value"]["python"]: each["grid_function"]["python"] for each in app.all("launch")}
    assert by_kind["2"] is None, ended.stderr
    meta = {"xnumel": 1000, "XBLOCK": 64, "ynumel": 5}
    scope: dict = {}
    exec(by_kind["0"], scope)
    assert scope["grid"](meta) == (16,)
    exec(by_kind["1"], scope)
    assert scope["grid"](meta) == (16, 5)


def test_a_kernel_that_no_selection_wants_keeps_its_launcher(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNLOOP_TRITON_MATCH", '["^other$"]')
    ended = app.run(LAUNCHES + "kernel = kernels.compiled(64)\nlaunch(kernel, a, b, 8, 1, 64)\nprint(type(kernel.run).__name__)")
    assert ended.stdout.strip() == "Launcher" and app.all("launch") == [], ended.stderr


def test_an_app_of_too_many_distinct_launches_is_watched_no_longer(app: App) -> None:
    ended = app.run(
        LAUNCHES
        + """
import kernloop_triton_record.launches as launches
launches.MAX_LAUNCHES = 3
kernel = kernels.compiled(64)
for n in range(9): launch(kernel, a, b, n, 1, 64)
print(len(Driver.launched))
"""
    )
    assert ended.stdout.strip() == "9" and len(app.all("launch")) == 3, ended.stderr


def test_the_assembler_that_the_app_chose_is_recorded(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    import triton

    ptxas = Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "ptxas"
    monkeypatch.setenv("TRITON_PTXAS_PATH", str(ptxas))
    text = "import kernels\nkernels.GPUTarget = lambda *_: kernels.triton.backends.compiler.GPUTarget('cuda', 90, 32)\n"
    app.run("import kernels\nkernels.compiled(64)\n" + text + "kernels.compiled(32)")
    by_backend = {record["target"]["backend"]: record["environment"] for record in app.all("compile")}
    assert by_backend["cuda"]["TRITON_PTXAS_PATH"] == str(ptxas)
    assert "TRITON_PTXAS_PATH" not in by_backend["hip"]
