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
