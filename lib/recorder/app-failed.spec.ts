import type { DeviceDescription } from '../device/device';
import { appFailed } from './app-failed';

const hintFor = (stderrTail: string, kind = 'softgpu', command = 'env python3 softmax.py'): string | undefined =>
  appFailed(
    '',
    {
      app: 'softmax',
      program: '/usr/bin/env',
      command,
      device: { kind } as DeviceDescription,
      appEnd: {
        exitCode: 1,
        signal: null,
        stdoutTail: '',
        stderrTail,
        timedOut: false,
        startError: null,
        readEmptyStdin: false,
      },
      notes: [],
    },
    'more time',
  ).hint;

describe('appFailed', () => {
  it.each([
    [
      'RuntimeError: 0 active drivers ([]). There should only be one.\n',
      /could not give it the software GPU.*python3 -m kernloop\.triton SCRIPT/,
    ],
    ["ModuleNotFoundError: No module named 'triton'\n", /no module triton: activate the virtual environment/],
    ["ModuleNotFoundError: No module named 'kernloop'\n", /no module kernloop: install Kernloop's wheel/],
    ['RuntimeError: something else\n', /^make the app run through by itself first/],
  ])('gives the next step after %j', (stderr, hint) => {
    expect(hintFor(stderr)).toMatch(hint);
  });

  const inTriton = (error: string): string => `  File "/venv/triton/runtime/jit.py", line 710, in run\n${error}\n`;
  const ofNumpy = inTriton('TypeError: failed to specialize argument of type: numpy.ndarray');

  it('tells how to pass arrays of NumPy, and how to run the program where there is no GPU', () => {
    expect(hintFor(ofNumpy)).toMatch(
      /^NumPy arrays: pass kernloop\.triton\.array\(x\).*`env python3 -m kernloop\.triton softmax\.py`/,
    );
    expect(hintFor(ofNumpy)).not.toMatch(/by itself|doctor/);
    expect(hintFor(ofNumpy, 'cuda')).toMatch(/^make the app run through by itself first/);
  });

  it.each([
    ['python3 x.py --size 3', 'python3 -m kernloop.triton x.py --size 3'],
    ['/venv/bin/python3.11 x.py', '/venv/bin/python3.11 -m kernloop.triton x.py'],
    ['python3 -m pack.x', 'python3 -m kernloop.triton -m pack.x'],
    ['python3 -m kernloop.triton x.py', 'python3 -m kernloop.triton x.py'],
    ['python3 -u x.py', 'python3 -m kernloop.triton SCRIPT'],
    ['./run.sh', 'python3 -m kernloop.triton SCRIPT'],
  ])('names the command that runs %s alone', (command, alone) => {
    expect(hintFor(inTriton('ValueError: of the app'), 'softgpu', command)).toBe(
      `make it run through on the software GPU first, with \`${alone}\` (docs/triton.md)`,
    );
  });

  it('offers the software GPU to Triton on a device that is not there', () => {
    expect(hintFor('RuntimeError: 0 active drivers ([]).\n', 'cuda')).toContain('--device softgpu');
  });
});
