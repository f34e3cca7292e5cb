"""`python3 -m kernloop.triton` runs a program as `python3` does."""

import subprocess
import sys
import textwrap

import pytest

APP = """
import json, os, sys
import numpy as np, triton, triton.language as tl
import beside
import kernloop.triton as kt

@triton.jit
def double(x, N: tl.constexpr):
    tl.store(x + tl.arange(0, N), 2 * tl.load(x + tl.arange(0, N)))

if __name__ == '__main__':
    x = kt.array(np.arange(4, dtype=np.int32))
    double[(1,)](x, N=4)
    target = triton.runtime.driver.active.get_current_target()
    print(json.dumps([x.tolist(), sys.argv[1:], os.path.basename(__file__), beside.HERE, target.arch]))
    sys.exit(int(sys.argv[1]))
"""


@pytest.fixture
def app(tmp_path):
    (tmp_path / "app.py").write_text(textwrap.dedent(APP))
    (tmp_path / "beside.py").write_text("HERE = 'beside'\n")
    return tmp_path


def run(*words, cwd):
    return subprocess.run([sys.executable, "-m", "kernloop.triton", *words], cwd=cwd, capture_output=True, text=True, timeout=60)


def test_a_file_with_its_arguments_neighbours_and_exit_code(app, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    ran = run("--target", "gfx1030", str(app / "app.py"), "3", "--target", "x", cwd=other)
    assert (ran.returncode, ran.stdout) == (3, '[[0, 2, 4, 6], ["3", "--target", "x"], "app.py", "beside", "gfx1030"]\n'), ran.stderr


def test_a_module(app):
    ran = run("--target", "gfx90a", "-m", "app", "0", cwd=app)
    assert (ran.returncode, ran.stdout) == (0, '[[0, 2, 4, 6], ["0"], "app.py", "beside", "gfx90a"]\n'), ran.stderr


def test_no_such_file(app):
    ran = run("nothing.py", cwd=app)
    assert ran.returncode == 2 and "nothing.py" in ran.stderr


def test_an_unknown_target(app):
    ran = run("--target", "gfx9", "app.py", cwd=app)
    assert ran.returncode == 2 and "gfx90a" in ran.stderr and "gfx1030" in ran.stderr
