"""What tracing leaves of itself in machine code, for GPUs that are not here: with tracing=False nothing, byte for byte."""

import ast
import importlib.util
import itertools
import os
import struct
import sys

import pytest
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.experimental.gluon import language as gl
from triton.experimental.gluon._runtime import GluonASTSource

from kernloop.softgpu import open_device
from kernloop.tracing import IrisDeviceCtx

HERE = os.path.dirname(__file__)
EXAMPLES = os.path.join(HERE, "..", "..", "examples", "triton-tracing")
CUDA = GPUTarget("cuda", 90, 32)
# Between the two runs of these tests, which are of one target each.
TARGETS = {
    "gfx90a": [CUDA, GPUTarget("hip", "gfx90a", 64)],
    "gfx1030": [GPUTarget("hip", "gfx942", 64), GPUTarget("hip", "gfx1030", 32)],
    "gfx942": [GPUTarget("hip", "gfx942", 64)],
    "gfx1100": [GPUTarget("hip", "gfx1100", 32)],
}[open_device().target]

CONTEXT = {"context": "*i64"}
COPIES = {"x": "*fp32", "out": "*fp32", "n": "i32"}
GEMM = {name: "*fp16" for name in ("a", "b", "c")} | {name: "i32" for name in "MNK"}


def layout(target):
    return gl.BlockedLayout([4], [target.warp_size], [4], [0])


# File, kernel, types of its arguments, constants.
CASES = {
    "an atomic an event": ("tracing_kernels", "scatter", CONTEXT | COPIES, {"rank": 1, "world": 2, "BLOCK": 1024}),
    "slots claimed": ("tracing_kernels", "scatter_claimed", CONTEXT | COPIES, {"rank": 1, "world": 2, "BLOCK": 1024, "SLOTS": 2}),
    "blocks and atomics": (
        "tracing_kernels",
        "tiles",
        CONTEXT | {"x": "*i64", "out": "*i64", "m": "i32", "n": "i32"},
        {"BM": 16, "BN": 64},
    ),
    "a GEMM that stores": ("tracing_kernels", "product", CONTEXT | GEMM, {"world": 2, "BM": 64, "BN": 64, "BK": 32}),
    "Gluon": (
        "tracing_kernels",
        "gather",
        {"context": "*i64", "part": "*fp32", "out": "*fp32", "n": "i32"},
        {"Context": IrisDeviceCtx, "BLOCK": 1024, "LAYOUT": layout},
    ),
    "Gluon, slots claimed": (
        "tracing_kernels",
        "gather_claimed",
        {"context": "*i64", "part": "*fp32", "out": "*fp32", "n": "i32"},
        {"BLOCK": 1024, "LAYOUT": layout},
    ),
    "the example's GEMM": (
        "gemm_all_scatter",
        "gemm_all_scatter",
        {"context_tensor": "*i64"} | GEMM | {"columns": "i32"},
        {"cur_rank": 0, "world_size": 2, "BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32},
    ),
    "the example's all-gather": (
        "all_gather",
        "all_gather",
        {"context_tensor": "*i64", "part": "*fp32", "result": "*fp32", "elements": "i32"},
        {"BLOCK": 1024, "LAYOUT": layout},
    ),
    "the example's softmax": (
        "softmax",
        "softmax",
        {"context_tensor": "*i64", "out": "*fp32", "x": "*fp32", "rows": "i32", "columns": "i32"},
        {"BLOCK": 1024, "ROWS": 2},
    ),
}


class Deleted(ast.NodeTransformer):
    """Statements that record are gone."""

    def __init__(self):
        self.count = 0

    def visit_Assign(self, node):
        return self.visit_Expr(node)

    def visit_Expr(self, node):
        records = "record_event_" in ast.unparse(node)
        self.count += records
        return None if records else node


def loaded(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """Of each file of kernels: as it is, and without the record calls."""
    folder = tmp_path_factory.mktemp("deleted")
    sys.path.insert(0, EXAMPLES)
    pairs = {}
    for name in {file for file, *_ in CASES.values()}:
        path = os.path.join(HERE if name == "tracing_kernels" else EXAMPLES, f"{name}.py")
        with open(path) as source:
            tree = ast.parse(source.read())
        deleted = Deleted()
        text = ast.unparse(deleted.visit(tree))
        assert deleted.count > 0 and "record_event_" not in text.replace("'''", "")
        copy = folder / f"{name}.py"
        copy.write_text(text)
        pairs[name] = loaded(f"{name}_traced", path), loaded(f"{name}_deleted", str(copy))
    sys.path.remove(EXAMPLES)
    return pairs


def machine_code(binary):
    """The sections .text… of an ELF file."""
    (offset,) = struct.unpack_from("<Q", binary, 40)
    size, count, names = struct.unpack_from("<3H", binary, 58)
    sections = [struct.unpack_from("<IIQQQQ", binary, offset + index * size) for index in range(count)]
    strings = sections[names][4]
    found = {}
    for name, _, _, _, begin, length in sections:
        text = binary[strings + name : binary.index(b"\0", strings + name)].decode()
        if text.startswith(".text"):
            found[text] = binary[begin : begin + length]
    assert found and all(found.values())
    return found


def compiled(kernel, types, constants, target, tracing):
    values = {name: value(target) if value is layout else value for name, value in constants.items()} | {"TRACING": tracing}
    source = GluonASTSource if kernel.is_gluon() else ASTSource
    signature = {name: types.get(name, "constexpr") for name in kernel.arg_names}
    return triton.compile(source(kernel, signature, constexprs=values), target=target, options={"num_warps": 4})


def binary_of(code):
    return code.asm["cubin" if "cubin" in code.asm else "hsaco"]


PAIRS = list(itertools.product(CASES, TARGETS))


@pytest.mark.parametrize(("case", "target"), PAIRS, ids=[f"{case} for {target.backend} {target.arch}" for case, target in PAIRS])
def test_without_tracing_the_machine_code_is_that_of_a_kernel_without_the_calls(case, target, modules):
    file, name, types, constants = CASES[case]
    traced, deleted = (getattr(module, name) for module in modules[file])
    off, without, on = (
        machine_code(binary_of(compiled(kernel, types, constants, target, tracing)))
        for kernel, tracing in ((traced, False), (deleted, False), (traced, True))
    )
    assert off == without
    # The comparison tells code with tracing from code without it.
    assert on.keys() == off.keys() and on != off


MACHINES = {
    "gfx90a": {
        CUDA: ["%globaltimer", "%clock;", "%smid"],
        GPUTarget("hip", "gfx90a", 64): ["s_memrealtime", "hwreg(HW_REG_HW_ID, 8, 8)"],
        GPUTarget("hip", "gfx942", 64): ["s_memrealtime", "hwreg(HW_REG_HW_ID, 8, 8)", "hwreg(HW_REG_XCC_ID, 0, 4)"],
    },
    "gfx1030": {
        GPUTarget("hip", "gfx1030", 32): ["s_memrealtime", "hwreg(HW_REG_HW_ID1, 9, 5)", "hwreg(HW_REG_HW_ID1, 18, 3)"],
        GPUTarget("hip", "gfx1100", 32): ["MSG_RTN_GET_REALTIME", "hwreg(HW_REG_HW_ID1, 16, 1)"],
        GPUTarget("hip", "gfx1201", 32): ["MSG_RTN_GET_REALTIME", "hwreg(HW_REG_HW_ID1, 16, 1)"],
    },
    "gfx942": {
        GPUTarget("hip", "gfx942", 64): ["s_memrealtime", "hwreg(HW_REG_HW_ID, 8, 8)", "hwreg(HW_REG_XCC_ID, 0, 4)"],
    },
    "gfx1100": {
        GPUTarget("hip", "gfx1100", 32): ["MSG_RTN_GET_REALTIME", "hwreg(HW_REG_HW_ID1, 16, 1)"],
    },
}[open_device().target]


@pytest.mark.parametrize("target", MACHINES, ids=[f"{target.arch}" for target in MACHINES])
def test_each_machine_is_asked_for_its_own_clock_and_units(target, modules):
    file, name, types, constants = CASES["an atomic an event"]
    code = compiled(getattr(modules[file][0], name), types, constants, target, True)
    text = code.asm["ptx" if target.backend == "cuda" else "amdgcn"]
    for wanted in MACHINES[target]:
        assert wanted in text


def test_a_machine_whose_clock_is_not_known_is_refused_by_name(modules):
    file, name, types, constants = CASES["an atomic an event"]
    target = GPUTarget("hip", "gfx1250", 32)
    kernel = getattr(modules[file][0], name)
    compiled(kernel, types, constants, target, False)
    with pytest.raises(triton.CompilationError) as refused:
        compiled(kernel, types, constants, target, True)
    assert "gfx1250" in str(innermost(refused.value)) and "tracing=False" in str(innermost(refused.value))


def innermost(error):
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def test_a_slot_must_be_said_where_slots_were_claimed():
    from tracing_kernels import scatter_forgets

    with pytest.raises(triton.CompilationError) as refused:
        compiled(scatter_forgets, {"context": "*i64", "out": "*fp32"}, {}, CUDA, True)
    assert "say which one" in str(innermost(refused.value))
