import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debugSourceFiles } from './debug-line';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kernloop-lines-'));
  mkdirSync(join(folder, 'inc'));
  writeFileSync(join(folder, 'inc/value.h'), '__device__ inline float value(float x) { return x * x; }\n');
  writeFileSync(
    join(folder, 'k.hip'),
    '#include <hip/hip_runtime.h>\n#include "inc/value.h"\n__global__ void k(float* x) { x[0] = value(x[0]); }\n',
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

function compiled(...options: string[]): Buffer {
  const output = join(folder, 'k.hsaco');
  const device = ['--cuda-device-only', '--no-gpu-bundle-output', '--offload-arch=gfx90a', '-c', 'k.hip', '-o', output];
  execFileSync('hipcc', [...options, ...device], { cwd: folder, env: { ...process.env, HIP_PLATFORM: 'amd' } });
  return readFileSync(output);
}

describe('debugSourceFiles', () => {
  // The compiler is the oracle, because it was given these files.
  it.each(['-gdwarf-4', '-gdwarf-5'])('names the files that a kernel came from (%s)', (option) => {
    const files = debugSourceFiles(compiled('-O1', '-g', option)).map((file) => file.split('/').slice(-2).join('/'));
    expect(files).toContain('inc/value.h');
    expect(files.some((file) => file.endsWith('k.hip'))).toBe(true);
  });

  it('gives absolute paths where the table names the folder of the compilation', () => {
    expect(debugSourceFiles(compiled('-g', '-gdwarf-5'))).toContain(join(folder, 'k.hip'));
  });

  it('gives none without line information, and none for what is no ELF file', () => {
    expect(debugSourceFiles(compiled('-O1'))).toEqual([]);
    expect(debugSourceFiles(Buffer.from('not an ELF file'))).toEqual([]);
    expect(debugSourceFiles(Buffer.alloc(0))).toEqual([]);
  });

  it('ends without an error on whatever bytes it is given', () => {
    let state = 1;
    const random = (below: number): number => (state = (state * 48271) % 0x7fffffff) % below;
    for (const original of [compiled('-g', '-gdwarf-5'), compiled('-g', '-gdwarf-4')]) {
      for (let round = 0; round < 1500; round += 1) {
        const bytes = Buffer.from(original.subarray(0, round % 3 === 0 ? random(original.length) : original.length));
        for (let change = 0; change < 24 && bytes.length > 0; change += 1) bytes[random(bytes.length)] = random(256);
        expect(debugSourceFiles(bytes).length).toBeLessThanOrEqual(8192);
      }
    }
  });

  it('does not believe a count that no bytes back', () => {
    const elf = compiled('-g', '-gdwarf-5');
    const at = elf.indexOf(Buffer.from([5, 0, 8, 0]));
    expect(at).toBeGreaterThan(0);
    for (let byte = at; byte < at + 64; byte += 1) {
      const bytes = Buffer.from(elf);
      bytes[byte] = 0xff;
      expect(debugSourceFiles(bytes).length).toBeLessThanOrEqual(8192);
    }
  });
});
