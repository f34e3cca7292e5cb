import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultDeps } from '../deps/deps';
import { isSameKernelCode, isSameMachineCode, isSameText, isSameWhenLoaded, kernelCodeDigest } from './compared-code';
import { describeCode, type Described } from './described-code';

jest.setTimeout(60_000);

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'kernloop-code-'))));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
/** No headers, because they take most of the time. */
function compiled(text: string, ...options: string[]): Buffer {
  const source = join(folder, `${(count += 1)}.hip`);
  const kernel = `#define GLOBAL __attribute__((global))\n#define AT __builtin_amdgcn_workitem_id_x()\n`;
  writeFileSync(source, kernel + text);
  const device = ['-x', 'hip', '--offload-arch=gfx90a', '--cuda-device-only', '--no-gpu-bundle-output'];
  execFileSync('/usr/lib/llvm-15/bin/clang++', [
    ...[...device, '-O2', '-nogpulib', '-nogpuinc', ...options, '-c', source, '-o', `${source}.co`],
  ]);
  return readFileSync(`${source}.co`);
}

describe('isSameKernelCode', () => {
  const one = once(() => compiled('extern "C" GLOBAL void k(int* x) { x[AT] = 7; }'));
  const isSame = (text: string): Promise<boolean> => bySame('k', one(), compiled(text));
  /** The answer, which digests have to give, too. */
  const bySame = async (symbol: string, ...codes: [Buffer, Buffer]): Promise<boolean> => {
    const [first, second] = [await facts(codes[0]), await facts(codes[1])];
    const is = isSameKernelCode(symbol, first, second);
    const [ours, theirs] = [first, second].map((code) => kernelCodeDigest(symbol, code));
    expect(ours !== null && ours === theirs).toBe(is);
    return is;
  };

  it('holds wherever the kernel lies, and whatever lies beside it', async () => {
    const text =
      'extern "C" GLOBAL void before(int* x) { x[AT] += 1; }\nextern "C" GLOBAL void k(int* x) { x[AT] = 7; }';
    expect(await isSame(text)).toBe(true);
  });

  it.each([
    ['another constant', 'extern "C" GLOBAL void k(int* x) { x[AT] = 8; }'],
    ['another name', 'extern "C" GLOBAL void k2(int* x) { x[AT] = 7; }'],
    ['more parameters', 'extern "C" GLOBAL void k(int* x, int n) { x[AT] = 7; }'],
    [
      'other bounds',
      'extern "C" GLOBAL __attribute__((amdgpu_flat_work_group_size(1, 64))) void k(int* x) { x[AT] = 7; }',
    ],
  ])('does not with %s', async (_what, text) => {
    expect(await isSame(text)).toBe(false);
  });

  it('does not where the same instructions have more LDS', async () => {
    const shared = (words: number): Buffer =>
      compiled(
        `static __attribute__((shared)) int s[${words}];\nextern "C" GLOBAL void k(int* x) { s[AT] = x[0]; __builtin_amdgcn_s_barrier(); x[AT] = s[AT ^ 1]; }`,
      );
    expect(await bySame('k', shared(64), shared(64))).toBe(true);
    expect(await bySame('k', shared(64), shared(128))).toBe(false);
  });

  it('does not where the code may read or call what differs elsewhere', async () => {
    const table = (first: number): Buffer =>
      compiled(
        `static __attribute__((device)) const int t[4] = {${first}, 2, 3, 4};\nextern "C" GLOBAL void k(int* x) { x[AT] = t[x[AT] & 3]; }`,
      );
    expect(await bySame('k', table(1), table(9))).toBe(false);
  });

  it('does not hold of what is no code object', async () => {
    expect(await bySame('k', one(), Buffer.alloc(3))).toBe(false);
    expect(await bySame('k', one().subarray(0, 600), one())).toBe(false);
  });
});

const facts = (bytes: Buffer): Promise<Described | null> => describeCode(bytes, defaultDeps());

describe('whole code objects of AMD', () => {
  it('are the same when loaded whatever their line tables, and in their instructions whatever their data', async () => {
    const text = (first: number): string =>
      `extern "C" __attribute__((device)) int t = ${first};\nextern "C" GLOBAL void k(int* x) { x[AT] = t; }`;
    const codes = [compiled(text(1)), compiled(text(1), '-g'), compiled(text(2))];
    const [plain = null, lines = null, other = null] = await Promise.all(codes.map(facts));
    expect([isSameWhenLoaded(plain, lines), isSameWhenLoaded(plain, other)]).toEqual([true, false]);
    expect([isSameText(plain, other), isSameText(plain, null)]).toEqual([true, null]);
    expect(isSameWhenLoaded(null, null)).toBe(false);
  });
});

describe('isSameMachineCode', () => {
  const cubin = (kernel: string, ...functions: [string, string][]): Described => ({
    ...{ event: 'described', target: 'sm_90', sha256: '', variables: [], kernels: [] },
    functions: [['k', kernel], ...functions].map(([name = '', digest = '']) => ({ name, code_sha256: digest })),
  });

  it('compares the functions that both have, and not those of one alone', () => {
    const is = (one: Described, other: Described): boolean => isSameMachineCode('k', one, other);
    expect(is(cubin('1'), cubin('1', ['f', '2']))).toBe(true);
    expect(is(cubin('1', ['f', '2']), cubin('1'))).toBe(true);
    expect(is(cubin('1', ['f', '2']), cubin('1', ['f', '2']))).toBe(true);
    expect(is(cubin('1', ['f', '2']), cubin('1', ['f', '3']))).toBe(false);
    expect(is(cubin('1'), cubin('2'))).toBe(false);
    expect(isSameMachineCode('other', cubin('1'), cubin('1'))).toBe(false);
    expect(isSameMachineCode('k', null, null)).toBe(false);
  });
});

function once(compile: () => Buffer): () => Buffer {
  let code: Buffer | undefined;
  return () => (code ??= compile());
}
