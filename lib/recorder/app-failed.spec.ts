import type { DeviceDescription } from '../device/device';
import { appFailed } from './app-failed';

const hintFor = (stderrTail: string): string | undefined =>
  appFailed(
    '',
    {
      app: 'softmax',
      program: '/usr/bin/env',
      command: 'env python3 softmax.py',
      device: { kind: 'softgpu' } as DeviceDescription,
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
    ['RuntimeError: 0 active drivers ([]). There should only be one.\n', /python3 -m kernloop\.triton SCRIPT/],
    ["ModuleNotFoundError: No module named 'triton'\n", /no module triton: activate the virtual environment/],
    ['RuntimeError: something else\n', /^make the app run through by itself first/],
  ])('gives the next step after %j', (stderr, hint) => {
    expect(hintFor(stderr)).toMatch(hint);
  });
});
