import type { PristineRequest } from './request';
import type { Recorded } from './triton-modules';
import { fakeDeps } from '../testing/fake-deps';
import { nativePathsIn } from '../native/native-paths';
import { pythonCandidates } from '../toolchain/find-triton';
import { isSameWhenLoaded } from '../toolchain/compared-code';
import { tritonSource } from './triton-source';

/** The missing folder and programs prove that nothing is written and no Python is started. */
const request = { capture: { kernel: { symbol: 'add' } }, folder: '/nonexistent' } as unknown as PristineRequest;
const sourceOf = (compilation: object) =>
  tritonSource({ compilation } as unknown as Recorded, request, fakeDeps({}, nativePathsIn('/nonexistent')));

describe('a Triton kernel without source', () => {
  it('was compiled from no function', async () => {
    const { noSource } = await sourceOf({ function: null });
    expect(noSource).toMatchObject({
      code: 'SOURCE_TRITON',
      reason: expect.stringContaining('intermediate') as string,
    });
  });

  it('is in a file that was gone, which is another matter', async () => {
    const file = { path: '/tmp/gone.py', text: null };
    const { noSource } = await sourceOf({ function: { module: 'm', qualname: 'add' }, source: { files: [file] } });
    expect(noSource).toMatchObject({ code: 'SOURCE_MOVED', files: ['/tmp/gone.py'] });
  });
});

describe('the Python that compiles', () => {
  it('is the one that is named and no other, or that of the app before those on the PATH', () => {
    expect(pythonCandidates({ KERNLOOP_PYTHON: '/mine', PATH: '/usr/bin' }, '/bin/sh')).toEqual(['/mine']);
    expect(pythonCandidates({ PATH: '/nonexistent' }, '/bin/sh')).toEqual(['/bin/sh']);
    expect(pythonCandidates({ PATH: '/nonexistent' }, '/gone/python3')).toEqual([]);
  });
});

describe('two code objects', () => {
  it('are not the same for being no code objects', () => {
    expect(isSameWhenLoaded(null, null)).toBe(false);
  });
});
