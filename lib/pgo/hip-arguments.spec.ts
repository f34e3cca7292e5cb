import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hipArguments } from './hip-arguments';
import { hipHeader } from './sources';

let rocm: string;
beforeEach(() => (rocm = mkdtempSync(join(tmpdir(), 'kernloop-rocm-'))));
afterEach(() => rmSync(rocm, { recursive: true }));

function argumentsFor(hipMajor: number, args: string[]): string[] {
  mkdirSync(join(rocm, 'include', 'hip'), { recursive: true });
  mkdirSync(join(rocm, 'amdgcn', 'bitcode'), { recursive: true });
  writeFileSync(join(rocm, 'include', 'hip', 'hip_runtime.h'), '');
  writeFileSync(join(rocm, 'include', 'hip', 'hip_version.h'), `#define HIP_VERSION_MAJOR ${hipMajor}\n`);
  writeFileSync(join(rocm, 'amdgcn', 'bitcode', 'ockl.bc'), '');
  return hipArguments(args, { target: 'gfx1030', codeObjectVersion: null }, { ROCM_PATH: rocm });
}
const wave64 = '-D__AMDGCN_WAVEFRONT_SIZE=64';

describe('arguments of clang 22 for the headers of HIP', () => {
  it.each([5, 6])('%i, which ask for the size of a wave, define it', (hip) => {
    expect(argumentsFor(hip, ['-O3'])).toEqual(expect.arrayContaining(['-include', hipHeader, '-O3']));
    expect(argumentsFor(hip, ['-O3'])).not.toContain(wave64);
    expect(argumentsFor(hip, ['-mwavefrontsize64'])).toContain(wave64);
  });

  it('7 define nothing', () => {
    const args = argumentsFor(7, ['-mwavefrontsize64']);
    expect(args).not.toContain(hipHeader);
    expect(args).not.toContain(wave64);
  });

  it('choose code object version 4 for HIP 5 alone, unless the capture has another', () => {
    expect(argumentsFor(5, [])).toContain('-mcode-object-version=4');
    expect(argumentsFor(6, []).filter((word) => word.startsWith('-mcode-object-version'))).toEqual([]);
  });
});
