/**
 * Commands of a task of AgentKernelArena. It reads the exit code of each, and the times from
 * build/performance_report.json.
 */
export const arenaRunner = `#!/usr/bin/env python3
"""Compiles, judges and times the kernel of this task with Kernloop: task_runner.py compile | correctness | performance."""

import json
import os
import subprocess
import sys
from pathlib import Path

TASK = Path(__file__).resolve().parent.parent
KERNLOOP = os.environ.get("KERNLOOP", "kernloop")


def kernloop(verb, *options):
    """Returns the exit code and the result of a verb, whose messages go to stderr."""
    try:
        ended = subprocess.run([KERNLOOP, verb, ".", *options, "--json"], cwd=TASK, stdout=subprocess.PIPE, text=True)
    except FileNotFoundError:
        sys.exit("kernloop is not installed: npm install -g kernloop, or name the program in KERNLOOP")
    try:
        document = json.loads(ended.stdout)
    except ValueError:
        sys.exit(f"kernloop {verb} ended with {ended.returncode}: {ended.stdout}")
    return ended.returncode, document.get("result"), document.get("error")


def write_report(name, report):
    folder = TASK / "build"
    folder.mkdir(exist_ok=True)
    (folder / f"{name}_report.json").write_text(json.dumps(report, indent=2))


def conclude(name, title, code, error):
    text = None if code == 0 else (error or {}).get("message", f"exit code {code}")
    write_report(name, {"status": "ok" if code == 0 else "fail", "error": text})
    print(f"{title}: {'PASS' if code == 0 else 'FAIL'}")
    if text is not None:
        print(f"Error: {text}")
    return 0 if code == 0 else 1


def compile_kernel():
    code, _, error = kernloop("recompile")
    return conclude("compile", "Compilation", code, error)


def correctness():
    code, result, error = kernloop("validate")
    if result is not None and code != 0:
        error = {"message": result.get("summary", result.get("verdict"))}
    return conclude("correctness", "Correctness", code, error)


def performance():
    code, result, error = kernloop("replay", "--warmup", "10", "--iterations", "100")
    if code != 0:
        return conclude("performance", "Performance", code, error)
    cases = result["dispatches"] or [result]
    if any(case["durationNs"] is None for case in cases):
        print("Error: this device has no time: the software GPU counts instructions. Run the task on AMD hardware.")
        return 1
    cases = [
        {"test_case_id": f"dispatch_{index}", "execution_time_ms": case["durationNs"]["median"] / 1e6}
        for index, case in enumerate(cases)
    ]
    write_report("performance", {"test_cases": cases})
    for case in cases:
        print(f"Perf: {case['execution_time_ms']:.6f} ms ({case['test_case_id']})")
    return 0


MODES = {"compile": compile_kernel, "correctness": correctness, "performance": performance}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in MODES:
        sys.exit(__doc__)
    sys.exit(MODES[sys.argv[1]]())
`;
