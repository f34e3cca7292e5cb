import { join } from 'node:path';
import { addExtracted, builtOnce, recompiled } from './fixtures';
import { repository } from './harness';
import { Workspace } from './in-process';
import type { SelfcheckJson } from './probe';
import { sealed } from '../lib/archive/selfcheck-seal';

/**
 * Threads that claim positions by an atomic: only the order of their writes is free. Tests each kernel unchanged, with
 * other ways of claiming, and with every mistake that leaves the same unordered words in memory.
 */
describe('arrays whose order is free', () => {
  let workspace: Workspace;
  const kernels = ['keep_records', 'keep_pairs', 'keep_values', 'place_values', 'keep_all', 'fill_rows'] as const;
  type Kernel = (typeof kernels)[number];
  const originals = new Map<Kernel, string>();
  const folder = (kernel: Kernel): string => `kernels/order/${kernel}`;

  beforeAll(async () => {
    const source = join(repository, 'e2e', 'fixtures', 'order');
    const build = await builtOnce(source);
    workspace = Workspace.create([]);
    const addApp = (there: Workspace): string => {
      there.write('apps/order/kernloop.json', {
        name: 'order',
        device: 'softgpu',
        command: [join(build, 'order')],
        env: { HIP_PLATFORM: 'amd' },
        source,
        compileCommands: join(build, 'compile_commands.json'),
        kernels: kernels.map((name) => ({ name, match: name })),
      });
      return 'apps/order';
    };
    await addExtracted(workspace, source, addApp);
    for (const kernel of kernels) originals.set(kernel, workspace.read(`${folder(kernel)}/kernel_variant.hip`));
  });
  afterAll(() => workspace.remove());

  const validate = (kernel: Kernel, ...options: string[]) =>
    workspace.kernloop(['validate', '--reproducer', folder(kernel), ...options]);
  const tryVariant = async (kernel: Kernel, from: string, to: string, ...options: string[]) => {
    const original = originals.get(kernel) ?? '';
    const edited = bodyOf(kernel, original).replace(from, to);
    expect(edited).not.toBe(bodyOf(kernel, original));
    workspace.write(`${folder(kernel)}/kernel_variant.hip`, original.replace(bodyOf(kernel, original), edited));
    await recompiled(workspace, folder(kernel));
    return validate(kernel, ...options);
  };
  const bodyOf = (kernel: Kernel, text: string): string => {
    const begin = text.indexOf(`void ${kernel}(`);
    return text.slice(begin, text.indexOf('\n}', begin));
  };

  const claim = `if (keep) {
    const int p = atomicAdd(count, 1);`;
  /** One atomic per block, with its last thread first. */
  const claimByBlock = `__shared__ int used, base;
  if (threadIdx.x == 0) used = 0;
  __syncthreads();
  const int mine = keep ? atomicAdd(&used, 1) : 0;
  __syncthreads();
  if (threadIdx.x == 0) base = atomicAdd(count, used);
  __syncthreads();
  if (keep) {
    const int p = base + used - 1 - mine;`;
  /** One atomic per wave. */
  const claimByWave = `const unsigned long long kept = __ballot(keep);
  const int lane = threadIdx.x % 64;
  int base = 0;
  if (lane == 0) base = atomicAdd(count, __popcll(kept));
  base = __shfl(base, 0);
  if (keep) {
    const int p = base + __popcll(kept >> lane >> 1);`;

  it.each(kernels)('%s: the order is recorded as free', (kernel) => {
    const selfcheck = workspace.json<SelfcheckJson>(`${folder(kernel)}/capture/selfcheck.json`);
    expect(selfcheck).toMatchObject({ verdict: 'nondeterministic' });
    expect(selfcheck.varying.every((range) => 'permuted' in range)).toBe(true);
  });

  it.each(kernels.filter((kernel) => kernel !== 'keep_all' && kernel !== 'fill_rows'))(
    '%s passes as it is, recompiled, and with places claimed otherwise',
    async (kernel) => {
      expect(await validate(kernel, '--variant', 'none')).toMatchObject({ code: 0 });
      for (const otherwise of [`${claim} `, claimByBlock, claimByWave]) {
        const verdict = await tryVariant(kernel, claim, otherwise, '--replays', '4');
        expect([verdict.code, verdict.text]).toEqual([
          0,
          expect.stringMatching(/Result: PASS \(.* bytes in free order/),
        ]);
      }
    },
  );

  it.each([
    ['keep_records', 'KV{x[i], i}', 'KV{__int_as_float(i), __float_as_int(x[i])}', 'its fields swapped'],
    [
      'keep_records',
      'out[p] = KV{x[i], i};',
      'out[p].key = x[i]; out[p ^ 1].value = i;',
      'the fields of two records exchanged',
    ],
    ['keep_records', 'out[p] = KV{x[i], i};', 'if (i != 777) out[p] = KV{x[i], i};', 'a record lost'],
    ['keep_records', 'KV{x[i], i}', 'KV{x[i], i == 777 ? 778 : i}', 'a wrong value'],
    [
      'keep_records',
      'out[p] = KV{x[i], i};',
      'const int j = i == 777 ? 779 : i; out[p] = KV{x[j], j};',
      'a record twice',
    ],
    ['keep_pairs', 'values[p] = i', 'values[p ^ 1] = i', 'keys and values of two threads exchanged'],
    ['keep_pairs', 'values[p] = i', 'values[p < 4 ? 3 - p : p] = i', 'few of them exchanged'],
    ['keep_values', 'out[p] = x[i]', 'out[p] = i == 777 ? x[779] : x[i]', 'a value twice'],
    ['keep_values', 'out[p] = x[i]', 'if (i != 777) out[p] = x[i]', 'a value lost'],
    ['place_values', 'place[i] = p', 'place[i] = p ^ 1', 'places of others'],
  ] as const)('%s fails: %s → %s (%s)', async (kernel, from, to, _what) => {
    const verdict = await tryVariant(kernel, from, to);
    expect([verdict.code, verdict.text]).toEqual([1, expect.stringMatching(/Result: FAIL/)]);
  });

  it('fill_rows: rows are in free order each for itself', async () => {
    const right = /Result: PASS \(.* bytes in free order: .* together as records of 4 \+ 4 bytes in each of 50 parts\)/;
    const asItIs = await validate('fill_rows', '--variant', 'none');
    expect([asItIs.code, asItIs.text]).toEqual([0, expect.stringMatching(right)]);
    const thread = 'blockIdx.x * blockDim.x + threadIdx.x';
    const backwards = await tryVariant('fill_rows', thread, `n - 1 - (${thread})`);
    expect([backwards.code, backwards.text]).toEqual([0, expect.stringMatching(right)]);
    // Each row has the right number of items with their values, but in the row of a neighbour.
    const wrong = await tryVariant('fill_rows', 'cursor[row[i]]', 'cursor[row[i ^ 1]]');
    expect([wrong.code, wrong.text]).toEqual([1, expect.stringMatching(/Result: FAIL/)]);
  });

  it('keep_all: what waves of one length leave open is no pass, until the user says how long a record is', async () => {
    const known = ['--record', 'out=8'];
    expect(await validate('keep_all', '--variant', 'none')).toMatchObject({ code: 0 });
    for (const [from, to] of [
      ['KV{x[i], i}', 'KV{__int_as_float(i), __float_as_int(x[i])}'],
      ['out[p] = KV{x[i], i};', 'out[p].key = x[i]; out[p ^ 1].value = i;'],
    ] as const) {
      const verdict = await tryVariant('keep_all', from, to);
      expect(verdict.text).toMatch(/Result: (FAIL|VACUOUS .*--record)/);
      expect(verdict.code).not.toBe(0);
      expect(await validate('keep_all', ...known)).toMatchObject({ code: 1 });
    }
    const otherwise = await tryVariant('keep_all', claim, claimByBlock);
    expect(otherwise.text).toMatch(/Result: (PASS|VACUOUS .*--record)/);
    expect(await validate('keep_all', ...known)).toMatchObject({ code: 0 });
  });

  it('says in report.json what was judged as which records', async () => {
    expect(await validate('keep_records', '--variant', 'none')).toMatchObject({ code: 0 });
    expect(workspace.json(`${folder('keep_records')}/report.json`)).toMatchObject({
      free_order: [{ verdict: 'same', arrays: [{ record_bytes: 8, possible_record_bytes: [] }] }],
    });
    expect(await validate('keep_pairs', '--variant', 'none')).toMatchObject({ code: 0 });
    expect(workspace.json(`${folder('keep_pairs')}/report.json`)).toMatchObject({
      free_order: [{ verdict: 'same', arrays: [{ together: true }, { together: true }] }],
    });
  });

  it('a self-check that did not look for records proves nothing, and says what to do', async () => {
    const file = `${folder('keep_values')}/capture/selfcheck.json`;
    const before = workspace.json<SelfcheckJson>(file);
    const old = before.varying.map((range) => ({ ...range, records: undefined }));
    workspace.write(file, sealed({ ...before, varying: old }));
    const verdict = await validate('keep_values', '--variant', 'none');
    workspace.write(file, before);
    expect([verdict.code, verdict.text]).toEqual([3, expect.stringMatching(/Result: VACUOUS \(.*capture again/)]);
  });

  it('takes the length of a record from the user, unless the self-check refutes it', async () => {
    expect(await validate('keep_records', '--variant', 'none', '--record', 'out=8')).toMatchObject({ code: 0 });
    const refuted = await validate('keep_records', '--variant', 'none', '--record', 'out=24');
    expect([refuted.code, refuted.text]).toEqual([2, expect.stringMatching(/RECORD_REFUTED/)]);
    const fixed = await validate('keep_records', '--variant', 'none', '--record', 'x=8');
    expect([fixed.code, fixed.text]).toEqual([2, expect.stringMatching(/USAGE/)]);
  });
});
