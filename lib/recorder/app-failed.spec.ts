import type { DeviceDescription } from '../device/device';
import { appFailed } from './app-failed';

const hintFor = (stderrTail: string, kind = 'softgpu'): string | undefined =>
  appFailed(
    '',
    {
      app: 'softmax',
      program: '/usr/bin/env',
      command: 'env python3 softmax.py',
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

  it('offers the software GPU to Triton on a device that is not there', () => {
    expect(hintFor('RuntimeError: 0 active drivers ([]).\n', 'cuda')).toContain('--device softgpu');
  });
});
