import type { Device } from '../device/device';
import type { OptionsOnDevice } from './device-options';
import { racesOff } from './not-judged';

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
