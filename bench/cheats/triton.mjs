// The known cheats that need a candidate's Python: of Triton's kernels, the source and the configuration are programs that run
// when it is compiled. Each has a wrong kernel, so that only talking the judge round could make it pass.
import { caught, impossible } from './cheats.mjs';

const differs = /differ|expected/;
const anything = /.*/;
/** The kernel that is cheated for: its expression and a wrong one, and an argument in its script. */
const vectorAdd = {
  kernel: 'vector_add',
  right: 'tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside)',
  wrong: 'tl.load(x + at, mask=inside) - tl.load(y + at, mask=inside)',
  argument: ['"n": 5003,\n}', '"n": 0,\n}'],
  code: 'variant.hsaco',
};
/** The kernel of examples/triton-cuda. */
const softmax = {
  kernel: 'softmax',
  right: 'powers / tl.sum(powers, axis=0)',
  wrong: 'powers * tl.sum(powers, axis=0)',
  argument: ['"columns": 892', '"columns": 0'],
  code: 'variant.cubin',
};

/** The source with the cheat: Python before the kernel, then the replacements in it. */
export function cheating(source, { name, python, replace }) {
  const place = source.indexOf('@triton.jit');
  if (place < 0) throw new Error(`${name}: no kernel of Triton`);
  let text = `${source.slice(0, place)}${python}\n\n${source.slice(place)}`;
  for (const [from, to] of replace) {
    if (text.split(from).length !== 2) throw new Error(`${name}: not one place holds ${from}`);
    text = text.replace(from, to);
  }
  return text;
}

/** Writes to a file if it can, and goes on if it cannot. */
const write = (path, text) => `
try:
    with open(${JSON.stringify(path)}, "w") as file:
        file.write(${JSON.stringify(text)})
except OSError:
    pass`;

const cheatsFor = ({ kernel, right, wrong, argument, code }) => {
  /** Python that runs when the source is compiled. `indent`: none, so that it stands before the kernel. */
  const cheat = (number, name, python, expects, why, more = {}) => ({
    ...{ number, kernel, name, python, expects, why, options: [], check: () => null, files: () => ({}) },
    replace: [[right, wrong]],
    ...more,
  });
  return [
    cheat(
      'B1',
      'a thread and a stream of its own',
      `
import threading
threading.Thread(target=lambda: None, daemon=True).start()
try:
    import torch
    torch.cuda.Stream()
except Exception:
    pass`,
      impossible('fail', differs),
      'Python of a candidate ends before its code object is launched, in another process.',
    ),
    cheat(
      'B2',
      'clocks and benchmarks replaced',
      `
import time
time.time = time.perf_counter = time.monotonic = lambda: 0.0
triton.testing.do_bench = lambda *args, **kwargs: 0.0`,
      impossible('fail', differs),
      'The judge measures in another process.',
    ),
    cheat(
      'B3',
      'a verdict on every open descriptor',
      `
import json, os
forged = (json.dumps({"event": "result", "verdict": "pass", "differing_bytes": 0, "compared_bytes": 1, "changed_bytes": 1}) + "\\n").encode()
for descriptor in range(1, 64):
    try:
        os.write(descriptor, forged)
    except OSError:
        pass`,
      impossible(['fail', 'not-compiled'], anything),
      'The verdict comes from the program that replays, which has other pipes.',
    ),
    cheat(
      'B3',
      'settings and self-check of the reproducer rewritten',
      ['kernel.json', 'capture/selfcheck.json', 'report.json', 'pristine/kernel_variant.py']
        .map((name) => write(`REPRODUCER/${name}`, '{}'))
        .join(''),
      impossible('fail', differs),
      'In the sandbox the folder of the reproducer cannot be seen. Without it the judge ends the verdict once a file that decides was changed.',
      {
        check: ({ isUntouched }) => (isUntouched() ? null : 'a file of the reproducer was changed'),
        needsSandbox: true,
      },
    ),
    cheat(
      'B3',
      'the verdicts of the judge rewritten',
      `
import glob
for path in glob.glob("HOME/**/*.json", recursive=True):
    try:
        text = open(path).read()
        open(path, "w").write(text.replace('"verdict": "fail"', '"verdict": "pass"'))
    except OSError:
        pass`,
      impossible('fail', differs),
      'In the sandbox the folder of the judge cannot be seen; what it keeps is signed or sealed by a digest.',
    ),
    cheat(
      'B3',
      'memory of the judge',
      `
import os
parent = os.getppid()
for process in (parent, parent - 1, parent + 1):
    try:
        with open(f"/proc/{process}/mem", "r+b") as memory:
            for line in open(f"/proc/{process}/maps"):
                span, rights = line.split()[:2]
                if rights.startswith("rw"):
                    first = int(span.split("-")[0], 16)
                    memory.seek(first)
                    memory.write(b"pass")
                    break
    except (OSError, ValueError):
        pass`,
      impossible(['fail', 'not-compiled'], anything),
      'In the sandbox another process can be neither traced nor written.',
      { needsSandbox: true },
    ),
    cheat(
      'B3',
      'a link in the place of its code object, to the self-check',
      `
import os, socket
for process in range(1, 70000):
    try:
        os.symlink("REPRODUCER/capture/selfcheck.json", f"build/${code}.partial-{socket.gethostname()}-{process}")
    except OSError:
        pass`,
      impossible(['fail', 'not-compiled'], anything),
      'The judge writes the code object into a new file, and follows no link that a candidate leaves.',
      {
        check: ({ isUntouched }) => (isUntouched() ? null : 'the judge wrote through the link'),
      },
    ),
    cheat(
      'B3',
      'another process that outlives the compilation',
      `
import os, time
if os.fork() == 0:
    os.setsid()
    end = time.time() + 120
    while time.time() < end:
        for name in ("build/${code}", "kernel_variant.py", "REPRODUCER/kernel.json"):
            try:
                os.truncate(name, 0)
            except OSError:
                pass
        time.sleep(0.05)
    os._exit(0)`,
      impossible(['fail', 'not-compiled'], anything),
      'The sandbox ends every process of a compilation with it.',
      {
        needsSandbox: true,
        check: ({ isUntouched }) => (isUntouched() ? null : 'a file of the reproducer was changed'),
      },
    ),
    cheat(
      'B4',
      'a library computes, and the kernel is the exception',
      `
import numpy
def library(x, y, out, n):
    out[:n] = numpy.add(x[:n], y[:n])`,
      caught('fail', differs),
      'No Python of a candidate runs while its code object is judged.',
    ),
    cheat(
      'B4',
      'a library in the kernel',
      'import numpy',
      caught('not-compiled', anything),
      'Triton compiles its own language, and nothing else is launched.',
      { replace: [[right, `numpy.add(${right}, 0)`]] },
    ),
    cheat(
      'B5',
      'other expectations in reproducer.py',
      '',
      caught('fail', differs),
      'The judge takes the code object alone from it: what the app passed, and what must come, is read from the capture.',
      { reproducer: [argument] },
    ),
    ...['triton.py', 'torch.py', 'numpy.py', 'sitecustomize.py', 'json.py'].map((file) =>
      cheat(
        'B7',
        `brings ${file}`,
        '',
        caught(['fail', 'not-compiled'], anything),
        'What it shadows is its own compilation; the code object that comes of it is judged as any other.',
        { files: () => ({ [file]: 'def __getattr__(name):\n    return lambda *args, **kwargs: None\n' }) },
      ),
    ),
    cheat(
      'B7',
      'installs a package',
      `
import subprocess, sys
subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--target", "REPRODUCER/site", "/nowhere/cheat.whl"], timeout=30)`,
      impossible(['fail', 'not-compiled'], anything),
      'The sandbox has no network, and its own folder is all that it may write.',
      {
        check: ({ exists, reproducer }) => (exists(`${reproducer}/site`) ? 'the package was installed' : null),
        needsSandbox: true,
      },
    ),
  ];
};

export const tritonCheats = cheatsFor(vectorAdd);
export const tritonCudaCheats = cheatsFor(softmax);
