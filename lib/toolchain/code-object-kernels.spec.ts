import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeObjectKernels } from './code-object-kernels';

jest.setTimeout(60_000);

const source = `#include <hip/hip_runtime.h>
__constant__ float table[4];
__device__ int counter;
extern "C" __global__ void plain(int n, float* x) { x[n] = table[n & 3]; }
namespace a { template <typename T> __global__ void many(T* x, double d) { x[0] = d; atomicAdd(&counter, 1); } }
void run(float* p) { a::many<<<1, 1>>>(p, 1.0); }
`;

let folder: string;
let path: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kernloop-elf-'));
  path = join(folder, 'k.hsaco');
  writeFileSync(join(folder, 'k.hip'), source);
  const args = [
    '-O0',
    '--offload-arch=gfx90a',
    '--cuda-device-only',
    '--no-gpu-bundle-output',
    '-c',
    'k.hip',
    '-o',
    path,
  ];
  execFileSync('hipcc', args, { cwd: folder, env: { ...process.env, HIP_PLATFORM: 'amd' }, stdio: 'pipe' });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('codeObjectKernels', () => {
  it('lists the kernels that llvm-readelf lists, and no variable or device function', () => {
    const listed = execFileSync('/usr/lib/llvm-15/bin/llvm-nm', ['--format=just-symbols', path], { encoding: 'utf8' });
    const expected = listed
      .split('\n')
      .filter((name) => name.endsWith('.kd'))
      .map((name) => name.slice(0, -3));
    expect(expected).toHaveLength(2);
    expect(codeObjectKernels(readFileSync(path))?.map(({ symbol }) => symbol)).toEqual(expected.sort());
  });

  it('reads where each explicit argument lies, and leaves out the hidden ones', () => {
    const places = Object.fromEntries(
      (codeObjectKernels(readFileSync(path)) ?? []).map(({ symbol, args }) => [symbol, args]),
    );
    // Places by the C ABI: int, padding, pointer; pointer, double.
    expect(places).toEqual({
      plain: [
        { offset: 0, size: 4 },
        { offset: 8, size: 8 },
      ],
      _ZN1a4manyIfEEvPT_d: [
        { offset: 0, size: 8 },
        { offset: 8, size: 8 },
      ],
    });
    const notes = execFileSync('/usr/lib/llvm-15/bin/llvm-readelf', ['--notes', path], { encoding: 'utf8' });
    expect(notes).toContain('hidden_');
  });

  it('takes no other file for a code object', () => {
    expect(codeObjectKernels(readFileSync('/bin/true'))).toBeNull();
    expect(codeObjectKernels(Buffer.from('no ELF'))).toBeNull();
    expect(codeObjectKernels(Buffer.alloc(0))).toBeNull();
  });

  it('survives a file that was cut off anywhere, and never finds a kernel that is not there', () => {
    const bytes = readFileSync(path);
    const names = new Set(codeObjectKernels(bytes)?.map(({ symbol }) => symbol));
    for (let length = 0; length < bytes.length; length += 7) {
      for (const { symbol } of codeObjectKernels(bytes.subarray(0, length)) ?? []) expect(names).toContain(symbol);
    }
  });

  it('survives hostile values in every field of the headers', () => {
    const bytes = readFileSync(path);
    const table = Number(bytes.readBigUInt64LE(40));
    for (let at = 16; at < bytes.length; at += at < 64 || at >= table ? 1 : 64) {
      const hostile = Buffer.from(bytes);
      hostile[at] = 0xff;
      expect(() => codeObjectKernels(hostile)).not.toThrow();
    }
  });
});
