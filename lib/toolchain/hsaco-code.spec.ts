import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSameKernelCode, kernelCodeDigest } from './hsaco-code';

jest.setTimeout(60_000);

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'kernloop-code-'))));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
/** No headers, because they take most of the time. */
function compiled(text: string): Buffer {
  const source = join(folder, `${(count += 1)}.hip`);
  const kernel = `#define GLOBAL __attribute__((global))\n#define AT __builtin_amdgcn_workitem_id_x()\n`;
  writeFileSync(source, kernel + text);
  const device = ['-x', 'hip', '--offload-arch=gfx90a', '--cuda-device-only', '--no-gpu-bundle-output'];
  execFileSync('/usr/lib/llvm-15/bin/clang++', [
    ...[...device, '-O2', '-nogpulib', '-nogpuinc', '-c', source, '-o', `${source}.co`],
  ]);
  return readFileSync(`${source}.co`);
}

describe('isSameKernelCode', () => {
  const one = once(() => compiled('extern "C" GLOBAL void k(int* x) { x[AT] = 7; }'));
  const isSame = (text: string): boolean => bySame('k', one(), compiled(text));
  /** The answer, which digests have to give, too. */
  const bySame = (symbol: string, first: Buffer, second: Buffer): boolean => {
    const is = isSameKernelCode(symbol, first, second);
    const [ours, theirs] = [first, second].map((bytes) => kernelCodeDigest(symbol, bytes));
    expect(ours !== null && ours === theirs).toBe(is);
    return is;
  };

  it('holds wherever the kernel lies, and whatever lies beside it', () => {
    const text =
      'extern "C" GLOBAL void before(int* x) { x[AT] += 1; }\nextern "C" GLOBAL void k(int* x) { x[AT] = 7; }';
    expect(isSame(text)).toBe(true);
  });

  it.each([
    ['another constant', 'extern "C" GLOBAL void k(int* x) { x[AT] = 8; }'],
    ['another name', 'extern "C" GLOBAL void k2(int* x) { x[AT] = 7; }'],
    ['more parameters', 'extern "C" GLOBAL void k(int* x, int n) { x[AT] = 7; }'],
    [
      'other bounds',
      'extern "C" GLOBAL __attribute__((amdgpu_flat_work_group_size(1, 64))) void k(int* x) { x[AT] = 7; }',
    ],
  ])('does not with %s', (_what, text) => {
    expect(isSame(text)).toBe(false);
  });

  it('does not where the same instructions have more LDS', () => {
    const shared = (words: number): Buffer =>
      compiled(
        `static __attribute__((shared)) int s[${words}];\nextern "C" GLOBAL void k(int* x) { s[AT] = x[0]; __builtin_amdgcn_s_barrier(); x[AT] = s[AT ^ 1]; }`,
      );
    expect(bySame('k', shared(64), shared(64))).toBe(true);
    expect(bySame('k', shared(64), shared(128))).toBe(false);
  });

  it('does not where the code may read or call what differs elsewhere', () => {
    const table = (first: number): Buffer =>
      compiled(
        `static __attribute__((device)) const int t[4] = {${first}, 2, 3, 4};\nextern "C" GLOBAL void k(int* x) { x[AT] = t[x[AT] & 3]; }`,
      );
    expect(bySame('k', table(1), table(9))).toBe(false);
  });

  it('does not hold of what is no code object', () => {
    expect(bySame('k', one(), Buffer.alloc(3))).toBe(false);
    expect(bySame('k', one().subarray(0, 600), one())).toBe(false);
  });
});

function once(compile: () => Buffer): () => Buffer {
  let code: Buffer | undefined;
  return () => (code ??= compile());
}
