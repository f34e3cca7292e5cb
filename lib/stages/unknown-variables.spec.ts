import { unknownVariables } from './unknown-variables';

describe('variables that nothing reads', () => {
  it.each([
    ['KERNLOOP_VALIDATE_REPLYS', 'KERNLOOP_VALIDATE_REPLAYS'],
    ['KERNLOOP_VALIDATE_INPUTS_RECORDS', 'KERNLOOP_VALIDATE_INPUTS_RECORD'],
    ['KERNLOOP_SOFTGPU_TREADS', 'KERNLOOP_SOFTGPU_THREADS'],
    ['KERNLOOP_SOFTGUP', 'KERNLOOP_SOFTGPU'],
    ['KERNLOOP_COMPILLER', 'KERNLOOP_COMPILER'],
    // Parts of another name.
    ['KERNLOOP_VALIDATE_DEVICE', 'KERNLOOP_DEVICE'],
    ['KERNLOOP_REPLAYS', 'KERNLOOP_VALIDATE_REPLAYS'],
    // The stage had another name.
    ['KERNLOOP_PGO_APP_USE_ROUNDS', 'KERNLOOP_PGO_USE_ROUNDS'],
  ])('%s may mean %s', (typed, meant) => {
    const [warning, ...others] = unknownVariables({ [typed]: '4' });
    expect(others).toEqual([]);
    expect(warning).toMatch(new RegExp(`^${typed} is set, and nothing reads it: did you mean .*\\b${meant}\\b.*\\?$`));
  });

  it('are named alone if none is near', () => {
    expect(unknownVariables({ KERNLOOP_XYZZY: '1' })).toEqual(['KERNLOOP_XYZZY is set, and nothing reads it']);
  });

  it('are told once each, in order', () => {
    const both = unknownVariables({ KERNLOOP_YYYYYY: '1', KERNLOOP_XXXXXX: '1' });
    expect(both.map((line) => line.slice(0, 15))).toEqual(['KERNLOOP_XXXXXX', 'KERNLOOP_YYYYYY']);
  });

  it.each([
    ...['KERNLOOP_VALIDATE_REPLAYS', 'KERNLOOP_SOFTGPU', 'KERNLOOP_SOFTGPU_SEED', 'KERNLOOP_COMPILER'],
    ...['KERNLOOP_RECORDER_SOCKET', 'KERNLOOP_DEVICE_ID_CUDA', 'KERNLOOP_FAKE_CUDA_SEED', 'KERNLOOP_TEST_REAL_GPU'],
    ...['KERNLOOP', 'MY_KERNLOOP_SEED'],
  ])('are not %s', (name) => {
    expect(unknownVariables({ [name]: '1' })).toEqual([]);
  });

  it('are not empty ones, which set nothing', () => {
    expect(unknownVariables({ KERNLOOP_VALIDATE_REPLYS: '' })).toEqual([]);
  });
});
