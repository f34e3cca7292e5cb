import type { ReplayResult } from '../lib/replay/result';
import { existsSync } from 'node:fs';
import { replayEvents } from './probe';
import { Workspace } from './harness';

/** Kernel, the line of its source that a do-nothing variant loses, and the file the line is in. */
const kernels: [name: string, line: string, replacement: string][] = [
  ['saxpy', 'y[i] = a * x[i] + y[i];', ';'],
  ['block_sums', 'if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];', ''],
  ['histogram', 'atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);', ';'],
  ['table_lookup', 'out[i] = table[index[i] % kTableSize];', ';'],
  ['matmul_tiled', 'c[row * n + column] = sum;', ''],
  ['axpby', 'y[first + k] = alpha * x[first + k] + beta * y[first + k];', ';'],
  ['clamp_to_range', 'x[i] = range.clamp(x[i]);', ';'],
  ['softmax_rows', 'out[i] = expf(in[i] - highest) / sum;', ';'],
];

/** Of what Nx printed: each task, and whether its result came out of the cache. */
function tasksOf(text: string): { id: string; cached: boolean }[] {
  const lines = [...text.matchAll(/nx run ([\w-]+:[\w-]+)(.*)$/gm)];
  return lines
    .map(([, id = '', more = '']) => ({ id, cached: /cache/.test(more) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

describe('the kernels of hip-pipeline', () => {
  let workspace: Workspace;
  const project = (kernel: string): string => `kernels/hip-pipeline/${kernel}`;
  const variant = (kernel: string): string =>
    ['hip', 'h']
      .map((extension) => `${project(kernel)}/kernel_variant.${extension}`)
      .find((path) => existsSync(workspace.path(path))) ?? '';

  beforeAll(async () => {
    workspace = Workspace.create(['examples/hip-pipeline']);
    await workspace.commitAll();
    const outcome = await workspace.nx(['run', 'hip-pipeline:extract-kernel']);
    expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
  });
  afterAll(() => workspace.remove());

  it.each(kernels)('%s: the capture is verified and the untouched kernel passes', async (kernel) => {
    expect(workspace.json<{ verdict: string }>(`${project(kernel)}/capture/selfcheck.json`).verdict).toBe('verified');
    const outcome = await workspace.kernloop(['validate', '--reproducer', project(kernel), '--variant', 'none']);
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/Result: PASS \(/)]);
  });

  it.each(kernels)('%s: no flipped bit of any output is missed', async (kernel) => {
    const { code, events } = await replayEvents(workspace.path(project(kernel), 'capture'), [
      '--compare',
      '--inject-bit-flips',
      '200',
      '--seed',
      '7',
    ]);
    expect(code).toBe(0);
    expect(events.find(({ event }) => event === 'injection')).toMatchObject({ flips: 200, detected: 200 });
  });

  it.each(kernels)(
    '%s: a rebuilt but unedited kernel passes, one that stores nothing fails',
    async (kernel, line, replacement) => {
      const options = ['--reproducer', project(kernel)];
      expect(await workspace.kernloop(['recompile', ...options])).toMatchObject({ code: 0 });
      expect(await workspace.kernloop(['validate', ...options])).toMatchObject({ code: 0 });
      const file = variant(kernel);
      const original = workspace.read(file);
      workspace.edit(file, (text) => text.replace(line, replacement));
      expect((await workspace.kernloop(['validate', ...options])).text).toMatch(/VARIANT_STALE|recompile/);
      expect(await workspace.kernloop(['recompile', ...options])).toMatchObject({ code: 0 });
      const failed = await workspace.kernloop(['validate', ...options]);
      expect([failed.code, failed.text]).toEqual([1, expect.stringMatching(/Result: FAIL \(/)]);
      workspace.write(file, original);
    },
  );

  it('affected selects exactly the kernel whose variant was edited, and only its verdict is made again', async () => {
    expect((await workspace.nx(['run-many', '-t', 'validate'])).code).toBe(0);
    await workspace.commitAll();
    workspace.edit(variant('saxpy'), (text) => text.replace('a * x[i] + y[i]', 'y[i] + a * x[i]'));
    await workspace.nx(['affected', '-t', 'validate', '--graph=affected.json']);
    const graph = workspace.json<{ tasks: { tasks: Record<string, unknown> } }>('affected.json');
    const selected = Object.keys(graph.tasks.tasks).filter((id) => id.endsWith(':validate'));
    expect(selected).toEqual(['hip-pipeline-saxpy:validate']);
    const all = await workspace.nx(['run-many', '-t', 'validate', '--outputStyle=stream']);
    expect(all.code).toBe(0);
    const verdicts = tasksOf(all.stdout).filter(({ id }) => id.endsWith(':validate'));
    expect(verdicts.filter(({ cached }) => !cached).map(({ id }) => id)).toEqual(['hip-pipeline-saxpy:validate']);
    expect(verdicts.length).toBeGreaterThanOrEqual(kernels.length);
  });

  it('a saxpy that is right in all but one element fails', async () => {
    workspace.edit(variant('saxpy'), (text) =>
      text.replace('y[i] = y[i] + a * x[i];', 'y[i] = a * x[i] + y[i] + (i == 49999 ? 1e-6f : 0.0f);'),
    );
    const outcome = await workspace.nx(['run', 'hip-pipeline-saxpy:validate']);
    expect([outcome.code === 0, outcome.text]).toEqual([false, expect.stringMatching(/Result: FAIL/)]);
  });

  it('a saxpy that is one ULP off fails, passes under that tolerance, and fails with a NaN under any', async () => {
    const file = variant('saxpy');
    const pristine = workspace.read(file.replace('kernel_variant', 'pristine/kernel_variant'));
    const store = async (value: string, ...tolerance: string[]) => {
      workspace.write(file, pristine.replace('a * x[i] + y[i]', value));
      expect((await workspace.kernloop(['recompile', '--reproducer', project('saxpy')])).code).toBe(0);
      return workspace.kernloop(['validate', '--reproducer', project('saxpy'), ...tolerance]);
    };
    const oneUp = '__int_as_float(__float_as_int(a * x[i] + y[i]) + 1)';
    const exact = await store(oneUp);
    expect([exact.code, exact.text]).toEqual([1, expect.stringMatching(/Result: FAIL/)]);
    const tolerated = await store(oneUp, '--ulp', '1');
    expect([tolerated.code, tolerated.text]).toEqual([
      0,
      expect.stringMatching(/elements differ within the tolerance/),
    ]);
    const nan = await store(`i == 7 ? __int_as_float(0x7fc00000) : ${oneUp}`, '--ulp', '1', '--atol', '1e9');
    expect([nan.code, nan.text]).toEqual([1, expect.stringMatching(/NaN: 0 in both, 1 only in the replay/)]);
    const nothing = await store('y[i]', '--atol', '1e9');
    expect([nothing.code, nothing.text]).toEqual([3, expect.stringMatching(/VACUOUS.*so wide/)]);
    workspace.write(file, pristine);
  });

  it('matmul_tiled does what its source says, in every order, and its hot spots are its lines', async () => {
    const at = ['--reproducer', project('matmul_tiled')];
    expect(await workspace.kernloop(['recompile', ...at, '--line-info'])).toMatchObject({ code: 0 });
    const results = [];
    for (const order of [
      ['--seed', '1', '--threads', '1'],
      ['--seed', '77', '--threads', '3'],
    ]) {
      const outcome = await workspace.kernloop(['replay', ...at, '--hot-spots', '--json', ...order]);
      expect([outcome.code, outcome.stderr]).toEqual([0, expect.any(String)]);
      results.push((JSON.parse(outcome.stdout) as { result: ReplayResult }).result);
    }
    const [one, other] = results;
    expect(other?.counters).toEqual(one?.counters);
    expect(other?.hotSpots).toEqual(one?.hotSpots);

    // 64 waves of a 64 x 64 product in tiles of 16: four rounds of two loads and two barriers, one store; each access four rows of 64 bytes.
    const count = (name: string): number | undefined => one?.counters[name]?.median;
    expect(count('waves')).toBe(64);
    expect(count('barriers')).toBe(64 * 4 * 2);
    expect(count('memory_transactions')).toBe(64 * (4 * 2 + 1) * 4);
    expect(count('lds_bank_conflicts')).toBe(0);
    const lines = one?.hotSpots?.lines ?? [];
    expect(lines[0]).toMatchObject({
      file: 'kernel_variant.hip',
      text: expect.stringContaining('sum += tile_a[ty][k] * tile_b[k][tx];') as string,
    });
    const executed = one?.hotSpots?.instructions.reduce((sum, { figures }) => sum + (figures['executed'] ?? 0), 0);
    expect(executed).toBe(count('wave_instructions'));
  });
});
