"""A view has to lie in its memory, and a grid formula is that of the app."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
import os
import socket
import struct
import sys
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).resolve().parents[1]


def load(path: str, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, FOLDER / path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


captured = load("reproducer/kernloop_reproducer.py", "kernloop_reproducer")


@pytest.mark.parametrize(
    ("shape", "strides", "offset", "size", "fits"),
    [
        ((4, 8), (8, 1), 0, 128, True),
        ((4, 8), (8, 1), 0, 127, False),
        ((4, 8), (8, 1), 4, 128, False),
        ((4,), (-1,), 12, 16, True),
        ((4,), (-1,), 8, 16, False),
        ((4, 1000), (1, 0), 0, 16, True),
        ((0, 1000), (1000, 1), 0, 0, True),
        ((), (), 12, 16, True),
    ],
)
def test_a_view_may_not_leave_its_region(shape: tuple, strides: tuple, offset: int, size: int, fits: bool) -> None:
    view = captured.tensor("float32", shape, strides, region="r0", offset=offset)
    if fits:
        view.check(size)
    else:
        with pytest.raises(captured.ReproducerError, match="TENSOR_OUTSIDE"):
            view.check(size)


def test_a_pack_that_was_cut_off_is_an_error_at_every_byte(tmp_path: Path) -> None:
    content = b"sixteen bytes of"
    digest = hashlib.sha256(content).digest()
    index = struct.pack("<32sQQII", digest, 0, len(content), len(content), 0)
    whole = content + index + struct.pack("<QQ32s8s", len(content), 1, hashlib.sha256(index).digest(), b"KLPKEND\n")
    path = tmp_path / "chunks.pack"
    path.write_bytes(whole)
    assert captured._Pack(path).chunk(digest.hex(), len(content)) == content
    beyond = content + index + struct.pack("<QQ32s8s", len(content), 1 << 60, hashlib.sha256(index).digest(), b"KLPKEND\n")
    for damaged in [*(whole[:size] for size in range(len(whole))), beyond]:
        path.write_bytes(damaged)
        with pytest.raises(captured.ReproducerError, match="CAPTURE_INVALID"):
            captured._Pack(path)


def test_a_manifest_that_was_cut_off_is_an_error_at_every_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(captured.PLACES, "capture", tmp_path)
    whole = json.dumps({"chunk_bytes": 65536, "regions": [{"id": "r0", "é": 1}]}, ensure_ascii=False).encode()
    path = tmp_path / "capture.json"
    path.write_bytes(whole)
    assert list(captured.Memory().regions) == ["r0"]
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        with pytest.raises(captured.ReproducerError, match="CAPTURE_INVALID"):
            captured.Memory()


def test_a_candidate_in_work_has_the_machine_in_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    replace = os.replace

    def watched(source: Path, target: Path) -> None:
        seen.append(source.name)
        replace(source, target)

    monkeypatch.setattr(os, "replace", watched)
    captured._replace(tmp_path / "candidate.hsaco", b"code")
    # The name of lib/support/leftovers.ts, so that recompile removes what a killed run left.
    assert seen == [f"candidate.hsaco.partial-{socket.gethostname()}-{os.getpid()}"]
    assert [path.name for path in tmp_path.iterdir()] == ["candidate.hsaco"]


def test_the_apps_grid_is_told_with_what_it_reads() -> None:
    sys.path.insert(0, str(FOLDER / "shim"))
    try:
        from kernloop_triton_record.grid import describe_grid
    finally:
        sys.path.pop(0)
    n, table = 3000, object()
    # fmt: off
    one, other = (lambda meta: (math.ceil(n / meta["BLOCK"]),)), (lambda meta: (n, meta["BLOCK"]))
    # fmt: on
    scope: dict = {}
    exec(describe_grid(one)["python"], scope)
    assert scope["grid"]({"BLOCK": 256}) == (12,)
    exec(describe_grid(other)["python"], scope)
    assert scope["grid"]({"BLOCK": 256}) == (3000, 256)
    unknown = describe_grid(lambda meta: (id(table), meta["BLOCK"]))
    assert unknown["python"] is None and "table" in unknown["why"]
    assert describe_grid((3, 1, 1))["python"] is None


def test_a_tool_of_the_apps_machine_is_used_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytorch = tmp_path / "here" / "torch"
    (pytorch / "bin").mkdir(parents=True)
    (pytorch / "__init__.py").write_text("")
    (pytorch / "bin" / "ptxas").write_text("")
    (tmp_path / "own-ptxas").write_text("")
    monkeypatch.setenv("TRITON_PTXAS_PATH", "of the user")
    captured.set_environment({"TRITON_PTXAS_PATH": str(tmp_path / "own-ptxas")})
    assert os.environ["TRITON_PTXAS_PATH"] == str(tmp_path / "own-ptxas")
    # That of PyTorch is that of the PyTorch here; of another tool nothing is known.
    monkeypatch.syspath_prepend(str(pytorch.parent))
    captured.set_environment({"TRITON_PTXAS_PATH": "/gone/site-packages/torch/bin/ptxas"})
    assert os.environ["TRITON_PTXAS_PATH"] == str(pytorch / "bin" / "ptxas") and capsys.readouterr().err == ""
    captured.set_environment({"TRITON_PTXAS_PATH": "/gone/bin/ptxas"})
    assert os.environ["TRITON_PTXAS_PATH"] == str(pytorch / "bin" / "ptxas")
    assert "/gone/bin/ptxas, which is not here" in capsys.readouterr().err
