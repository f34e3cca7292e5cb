import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readInlinedCalls } from './inlined-calls';
import { readLineTable } from './line-table';

const source = `
__attribute__((always_inline)) static inline __attribute__((device)) float scaled(float x, int n) {
  return n > 3 ? x * n : x + 0.5f;
}
__attribute__((device)) static float twice(float x, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += scaled(x, i) + scaled(sum, n);
  return sum;
}
__attribute__((global)) void k(float* x, int n) {
  const int i = __builtin_amdgcn_workitem_id_x();
  if (i < n) x[i] = twice(x[i], n) - scaled(x[i + 1], i);
}
__attribute__((global)) void other(float* x) { x[0] = scaled(x[1], 2); }
`;

describe('inlined calls', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'kernloop-inlined-'));
    writeFileSync(join(folder, 'k.hip'), source);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Compiled without HIP's headers. */
  function compiled(...options: string[]): string {
    const output = join(folder, `k${options.join('')}.hsaco`);
    const device = ['--cuda-device-only', '--no-gpu-bundle-output', '--offload-arch=gfx90a', '-nogpuinc', '-nogpulib'];
    execFileSync('/usr/lib/llvm-15/bin/clang++', ['-x', 'hip', ...device, ...options, 'k.hip', '-o', output], {
      cwd: folder,
    });
    return output;
  }

  /** Frames by LLVM's symbolizer, the innermost first: the line of the instruction, then those of the calls. */
  function framesOfLlvm(file: string, addresses: readonly number[]): string[][] {
    const text = execFileSync(
      '/usr/lib/llvm-15/bin/llvm-symbolizer',
      [`--obj=${file}`, '--inlines', '--functions=none', ...addresses.map(String)],
      { encoding: 'utf8' },
    );
    return text
      .trimEnd()
      .split('\n\n')
      .map((frames) => frames.split('\n').map((frame) => basename(frame)));
  }

  it.each([
    ['-gdwarf-4', '-O3'],
    ['-gdwarf-5', '-O2'],
    ['-gline-tables-only', '-O3'],
    ['-gline-tables-only', '-gdwarf-4', '-O1'],
    ['-gdwarf-5', '-O0'],
  ])('of every instruction are those that LLVM tells: %s %s %s', (...options) => {
    const file = compiled(...options);
    const code = readFileSync(file);
    const [table, calls] = [readLineTable(code), readInlinedCalls(code)];
    const places = [...(table?.places() ?? [])];
    const start = Math.min(...places.map(({ address }) => address));
    const addresses = Array.from({ length: 400 }, (_, index) => start + 4 * index).filter((at) => table?.at(at));
    const shown = addresses.map((at) =>
      [table?.at(at) ?? [], ...calls.at(at)]
        .flat()
        .map(({ file: path, line, column }) => `${basename(path)}:${line}:${column}`),
    );
    expect(shown).toEqual(framesOfLlvm(file, addresses));
    const depths = shown.map((frames) => frames.length);
    expect([addresses.length > 50, Math.max(...depths), Math.min(...depths)]).toEqual([
      true,
      options.includes('-O0') ? 2 : 3,
      1,
    ]);
  });

  it('are none without debug information, and for what is no code object', () => {
    for (const code of [readFileSync(compiled('-O1')), Buffer.from('not an ELF file'), Buffer.alloc(0)])
      expect(readInlinedCalls(code).at(0x1900)).toEqual([]);
  });

  it('end without an error, soon, on whatever bytes they are read from', () => {
    let state = 1;
    const random = (below: number): number => (state = (state * 48271) % 0x7fffffff) % below;
    const originals = [
      ['-gdwarf-5', '-O2'],
      ['-gdwarf-4', '-O3'],
    ].map((options) => readFileSync(compiled(...options)));
    for (let round = 0; round < 1500; round += 1) {
      const original = originals[round % 2] ?? Buffer.alloc(0);
      const bytes = Buffer.from(original.subarray(0, round % 3 === 0 ? random(original.length) : original.length));
      for (let change = 0; change < 24 && bytes.length > 0; change += 1) bytes[random(bytes.length)] = random(256);
      for (const { line } of readInlinedCalls(bytes).at(0x1a00)) expect(Number.isFinite(line)).toBe(true);
    }
  });
});
