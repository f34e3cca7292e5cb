import type { Device } from '../device/device';
import type { OptionsOnDevice } from './device-options';
import { racesOff, withLeftOut, type Beside } from './not-judged';

const device = (seeded: boolean, hasPtx: boolean) => ({ seeded, hasPtx }) as Device;
const options = (adverse: boolean, delays: number) => ({ adverse, delays }) as OptionsOnDevice;

describe('the option that turns off the judgement of races', () => {
  it.each([
    ['softgpu', device(true, false), options(false, 0), 'adverse'],
    ['softgpu', device(true, false), options(true, 0), null],
    ['cuda', device(false, true), options(false, 0), 'delays'],
    ['cuda', device(false, true), options(false, 4), null],
    ['hsa, which has neither', device(false, false), options(false, 0), null],
  ])('on %s', (_name, on, given, expected) => {
    expect(racesOff(given, on)).toBe(expected);
  });
});

describe('what a pass begins with', () => {
  const beside = (ownMacros?: string[]): Beside => ({
    capture: undefined,
    code: { kind: 'variant', path: '', shown: '', sha256: '', ownMacros },
    racesOff: null,
    leftOut: [],
    otherKernels: [],
  });

  it('has the macros that the app does not define', () => {
    expect(withLeftOut('all bytes', 'pass', beside(['BLOCK=128', 'VEC=4']))).toBe(
      "NOT the app's macros: BLOCK=128, VEC=4; all bytes",
    );
    expect(withLeftOut('all bytes', 'pass', beside())).toBe('all bytes');
    expect(withLeftOut('one byte', 'fail', beside(['BLOCK=128']))).toBe('one byte');
  });
});
