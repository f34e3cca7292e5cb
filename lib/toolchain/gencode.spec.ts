import { thrown } from '../testing/failure';
import { cudaTarget } from './gencode';
import { parseNvccArguments } from './nvcc-arguments';

const target = (real: string, ...words: string[]) => cudaTarget(real, parseNvccArguments(words).args);

describe('cudaTarget', () => {
  it.each([
    ['CMake', ['--generate-code=arch=compute_90,code=[compute_90,sm_90]'], 'compute_90'],
    ['a pair in words of its own', ['-gencode', 'arch=compute_90,code=sm_90'], 'compute_90'],
    ['brackets in quotes', ['-gencode=arch=compute_90,code="[sm_90,compute_90]"'], 'compute_90'],
    ['code before arch', ['-gencode', 'code=[sm_90,sm_86],arch=compute_80'], 'compute_80'],
    ['an older virtual architecture', ['-gencode', 'arch=compute_80,code=sm_90'], 'compute_80'],
    ['one of several', ['-gencode=arch=compute_80,code=sm_80', '-gencode=arch=compute_90,code=sm_90'], 'compute_90'],
    ['-arch alone', ['-arch=sm_90'], 'compute_90'],
    ['-arch and -code', ['-arch', 'compute_80', '-code', 'sm_80,sm_90'], 'compute_80'],
    ['the machine that builds', ['-arch=native'], 'compute_90'],
    ['all architectures', ['--gpu-architecture=all-major'], 'compute_90'],
    ['link-time optimisation', ['-gencode=arch=compute_90,code=lto_90'], 'compute_90'],
  ])('reads %s', (_case, words, expected) => {
    expect(target('sm_90', ...words)).toEqual({ real: 'sm_90', virtual: expected, note: null });
  });

  it('tells features of one architecture apart', () => {
    const both = ['-gencode=arch=compute_90,code=sm_90', '-gencode=arch=compute_90a,code=sm_90a'];
    expect(target('sm_90a', ...both)).toMatchObject({ virtual: 'compute_90a', note: null });
    expect(target('sm_90', ...both)).toMatchObject({ virtual: 'compute_90', note: null });
  });

  it('takes code of a family for what it calls itself', () => {
    expect(target('sm_100', '-gencode=arch=compute_100f,code=sm_100f')).toEqual({
      real: 'sm_100f',
      virtual: 'compute_100f',
      note: null,
    });
  });

  it('takes the newest PTX that the driver could have compiled, and says so', () => {
    const ptx = ['70', '80', '100'].map((version) => `-gencode=arch=compute_${version},code=compute_${version}`);
    const found = target('sm_90', ...ptx);
    expect(found.virtual).toBe('compute_80');
    expect(found.note).toContain('the driver compiled');
  });

  it('never takes PTX with features of one architecture for another', () => {
    const found = target('sm_90', '-gencode=arch=compute_90a,code=compute_90a');
    expect(found).toMatchObject({ virtual: 'compute_90' });
    expect(found.note).toContain('names no code');
    expect(target('sm_90a', '-gencode=arch=compute_90a,code=compute_90a')).toMatchObject({ virtual: 'compute_90a' });
  });

  it('says so where the build has nothing for the target', () => {
    expect(target('sm_90', '-arch=sm_100')).toMatchObject({ virtual: 'compute_90' });
    expect(target('sm_90', '-arch=sm_100').note).toContain('names no code for sm_90');
    expect(target('sm_90').note).toContain('names no code for sm_90');
  });

  it('refuses another device', () => {
    expect(thrown(() => target('gfx90a'))).toMatchObject({ code: 'CAPTURE_INVALID' });
  });
});
