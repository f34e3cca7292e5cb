import type { ReplayResult } from '../lib/replay/result';
import type { Report } from '../lib/validate/report-json';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replayEvents } from './probe';
import { withoutFileNames } from './fixtures';
import { takePictures } from './pictures';
import { argumentsOf, probed } from './probed';
import { Workspace } from './in-process';

/** Kernel, the source line that a do-nothing variant loses, and its replacement. */
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

/** Tasks in the output of Nx, and whether each result came from the cache. */
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
    withoutFileNames(workspace, 'apps/hip-pipeline/pipeline.h');
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
    '%s: a rebuilt but unedited kernel passes, one that stores nothing is rebuilt and fails',
    async (kernel, line, replacement) => {
      const options = ['--reproducer', project(kernel)];
      expect(await workspace.kernloop(['recompile', ...options])).toMatchObject({ code: 0 });
      expect(await workspace.kernloop(['validate', ...options])).toMatchObject({ code: 0 });
      const file = variant(kernel);
      const original = workspace.read(file);
      workspace.edit(file, (text) => text.replace(line, replacement));
      const refused = await workspace.kernloop(['validate', ...options, '--no-recompile']);
      expect([refused.code, refused.text]).toEqual([2, expect.stringMatching(/VARIANT_STALE/)]);
      const failed = await workspace.kernloop(['validate', ...options]);
      expect([failed.code, failed.text]).toEqual([
        1,
        expect.stringMatching(/^\w+: build\/variant.hsaco from .*\n[^]*Result: FAIL \(/m),
      ]);
      workspace.write(file, original);
    },
  );

  it('table_lookup is judged with other values in the table that the app sets, too', async () => {
    const outcome = await workspace.kernloop([
      'validate',
      '--reproducer',
      project('table_lookup'),
      '--variant',
      'none',
      '--inputs',
      '8',
    ]);
    expect([outcome.code, outcome.text]).toEqual([
      0,
      expect.stringMatching(/Result: PASS \(.*derived ones, [1-9] of them with another argument or module variable/),
    ]);
    const { inputs } = workspace.json<Report>(`${project('table_lookup')}/report.json`);
    const others = inputs?.tried.filter(({ arrays }) => arrays.some(({ variable }) => /5tableE$/.test(variable ?? '')));
    expect(others?.map(({ verdict }) => verdict)).toContain('same');
  });

  it('table_lookup passes with a read behind an array whose value it drops, and the result says so', async () => {
    const file = variant('table_lookup');
    const original = workspace.read(file);
    const dropped = '(void)static_cast<const volatile unsigned char*>(index)[i + 1], ';
    workspace.edit(file, (text) => text.replace('out[i] = table', `${dropped}out[i] = table`));
    const at =
      workspace
        .read(file)
        .split('\n')
        .findIndex((line) => line.includes(dropped)) + 1;
    const outcome = await workspace.kernloop(['validate', project('table_lookup')]);
    workspace.write(file, original);
    expect([outcome.code, outcome.text]).toEqual([
      0,
      expect.stringMatching(/Result: PASS \(NOT judged: read of 1 byte, just behind index \(48\.8 KiB\)/),
    ]);
    expect(outcome.text).toContain(`outside of its arrays at kernel_variant.hip:${at}: read of 1 byte`);
    const { edited_lines: lines } = workspace.json<Report>(`${project('table_lookup')}/report.json`);
    expect(lines?.outside).toMatchObject([{ dispatch: 1, source: `kernel_variant.hip:${at}` }]);
  });

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
    expect([nan.code, nan.text]).toEqual([
      1,
      expect.stringMatching(/^y \(r1\): NaN: 0 in both, 1 only in the replay/m),
    ]);
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
    expect(other?.hot_spots).toEqual(one?.hot_spots);

    // 64 waves of a 64 x 64 product in tiles of 16: four rounds of two loads and two barriers, and one store; each
    // access touches four rows of 64 bytes.
    const count = (name: string): number | undefined => one?.counters[name]?.median;
    expect(count('waves')).toBe(64);
    expect(count('barriers')).toBe(64 * 4 * 2);
    expect(count('memory_transactions')).toBe(64 * (4 * 2 + 1) * 4);
    expect(count('lds_bank_conflicts')).toBe(0);
    const lines = one?.hot_spots?.lines ?? [];
    expect(lines[0]).toMatchObject({
      file: 'kernel_variant.hip',
      text: expect.stringContaining('sum += tile_a[ty][k] * tile_b[k][tx];') as string,
    });
    const executed = one?.hot_spots?.instructions.reduce((sum, { figures }) => sum + (figures['executed'] ?? 0), 0);
    expect(executed).toBe(count('wave_instructions'));
  });

  it('matmul_tiled is tuned: what is wrong never wins, and the best is written down only when it is asked for', async () => {
    const at = [project('matmul_tiled'), '--set', 'PIPELINE_TILE=8,12,32', '--block', 'PIPELINE_TILE,PIPELINE_TILE'];
    // A tile of 12 does not divide 64: it omits elements, in fewer instructions than any other.
    const words = ['tune', ...at, '--grid', 'n // PIPELINE_TILE, n // PIPELINE_TILE'];
    const before = workspace.read(`${project('matmul_tiled')}/kernel.json`);
    const first = await workspace.kernloop(words);
    expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(/^best +32 +15,808 +0\.797× +pass$/m)]);
    expect(first.stdout).toMatch(/^base +16 +19,840 +1\.000× +pass$/m);
    expect(first.stdout).toMatch(/^ +12 +- +- +fail/m);
    expect(workspace.read(`${project('matmul_tiled')}/kernel.json`)).toBe(before);
    const applied = await workspace.kernloop([...words, '--apply']);
    expect([applied.code, applied.text]).toEqual([
      0,
      expect.stringMatching(/4 candidates, 4 of them from earlier runs/),
    ]);
    expect(applied.stdout).toMatch(
      /\+ +"PIPELINE_TILE": 32[^]*launched as kernel.json says: 2×2×1 blocks, blocks of 32×32×1/,
    );
    const judged = await workspace.kernloop(['validate', project('matmul_tiled')]);
    expect([judged.code, judged.stdout]).toEqual([0, expect.stringMatching(/variant.hsaco[^]*Result: PASS/)]);
  });

  describe('probed on the software GPU', () => {
    const elements = 50_000;
    /** The same bytes as in main.hip. */
    const randomBytes = (): Uint8Array => {
      let state = 12345;
      return Uint8Array.from({ length: elements }, () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        const r = state >>> 8;
        return r ^ (r >>> 7);
      });
    };
    /** Iterations of a thread in a grid-stride loop. */
    const rounds = (thread: number, threads: number): number => Math.max(0, Math.ceil((elements - thread) / threads));
    const isIn = (thread: number, bytes: number): number => (thread < elements ? bytes : 0);

    const bytesOfThread: Record<string, (thread: number) => number> = {
      saxpy: (thread) => isIn(thread, 12),
      block_sums: (thread) => 4 * rounds(thread, 40 * 256) + (thread % 256 === 0 ? 4 : 0),
      histogram: (() => {
        const bins = Array.from({ length: 32 }, () => new Set<number>());
        randomBytes().forEach((byte, i) => bins[Math.floor(i / 256) % 32]?.add(byte));
        return (thread) => rounds(thread, 32 * 256) + (bins[Math.floor(thread / 256)]?.has(thread % 256) ? 4 : 0);
      })(),
      table_lookup: (thread) => isIn(thread, 1 + 4 + 4),
      matmul_tiled: () => 4 * (2 * 4) + 4,
      axpby: (thread) => 24 * Math.min(4, Math.max(0, elements - 4 * thread)),
      clamp_to_range: (thread) => isIn(thread, 8),
      softmax_rows: (thread) => 16 * Math.ceil((300 - (thread % 256)) / 256),
    };

    it.each(Object.entries(bytesOfThread))('%s: gmem_bytes are those of its indexing', async (kernel, expected) => {
      const { counts, words } = await probed(workspace, project(kernel), '--probe', 'gmem_bytes', '--variant', 'none');
      const wrong: [number, bigint | undefined, number][] = [];
      for (let thread = 0; thread < counts.length; thread++) {
        const [sync, async] = words(thread);
        if (sync !== BigInt(expected(thread)) || async !== 0n) wrong.push([thread, sync, expected(thread)]);
      }
      expect(wrong.slice(0, 8)).toEqual([]);
    });

    it('block_sched: waves follow each other without a gap, as long as they are in wave-instructions', async () => {
      const { result, bytes, counts } = await probed(workspace, project('saxpy'), '--variant', 'none');
      expect(counts).toEqual(new Uint32Array(Math.ceil(elements / 256) * 4).fill(1));
      const waves = Array.from({ length: counts.length }, (_, wave) => ({
        start: Number(bytes.readBigUInt64LE(wave * 16)),
        elapsed: bytes.readUInt32LE(wave * 16 + 8),
        cu: bytes.readUInt32LE(wave * 16 + 12),
      })).sort((a, b) => a.start - b.start);
      let clock = 0;
      for (const { start, elapsed, cu } of waves) {
        expect([start, cu]).toEqual([clock, 0]);
        clock += elapsed;
      }
      expect(clock).toBe(
        workspace.json<{ execution: { wave_instructions: number } }>(`${project('saxpy')}/capture/capture.json`)
          .execution.wave_instructions,
      );
      const read = await workspace.kernloop(['trace', 'read', result.folder]);
      expect([read.code, read.text]).toEqual([0, expect.stringMatching(/block_sched\.elapsed +784 +784/)]);
      const analyzed = await workspace.kernloop(['trace', 'analyze', result.folder, '--output', 'analyzed']);
      expect([analyzed.code, analyzed.text]).toEqual([0, expect.any(String)]);
    });

    it.each<[string, (args: readonly bigint[], thread: number) => number[][]]>([
      [
        'saxpy',
        (_, i) =>
          i < elements
            ? [
                [1, i],
                [2, i],
                [2, i],
              ]
            : [],
      ],
      [
        'matmul_tiled',
        (_, thread) => {
          const [block, tx, ty] = [Math.floor(thread / 256), thread % 16, Math.floor((thread % 256) / 16)];
          const [column, row] = [(block % 4) * 16 + tx, Math.floor(block / 4) * 16 + ty];
          const tiles = [0, 1, 2, 3].flatMap((t) => [
            [0, row * 64 + t * 16 + tx],
            [1, (t * 16 + ty) * 64 + column],
          ]);
          return [...tiles, [2, row * 64 + column]];
        },
      ],
    ])(
      '%s: dmat has the addresses of its indexing, and what it works on in place is right',
      async (kernel, accesses) => {
        const { words, counts, result } = await probed(
          workspace,
          project(kernel),
          '--probe',
          'dmat',
          '--variant',
          'none',
        );
        expect(result.launches[0]).toMatchObject({ counted: true, maps: [{ dropped: 0 }] });
        const args = argumentsOf(workspace, project(kernel));
        const byValue = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
        const wrong: unknown[] = [];
        for (let thread = 0; thread < counts.length; thread++) {
          const expected = accesses(args, thread).map(([array = 0, i = 0]) => (args[array] ?? 0n) + 4n * BigInt(i));
          const seen = words(thread).filter((_, word) => word % 2 === 1 && word < 2 * (counts[thread] ?? 0));
          const text = [seen, expected].map((list) => [...list].sort(byValue).join());
          if (text[0] !== text[1]) wrong.push([thread, ...text]);
        }
        expect(wrong.slice(0, 4)).toEqual([]);
      },
    );

    it('what has no room is counted, and is the rest of what was executed', async () => {
      workspace.write(
        `${project('saxpy')}/every.toml`,
        `[probe.every]\nlevel = "warp"\npos = "kernel"\nbefore = "mov.u64 %NR0, %clock64;"
[map.every]\nlevel = "warp"\nsize = 8\ncap = "dynamic"\n[map.every.regs]\nclock = ["u64", "None"]
[softgpu.every]\nmap = "every"\nat = "instruction:any"\nsave = { clock = "clock" }\n`,
      );
      const run = (...args: string[]) =>
        probed(workspace, project('saxpy'), '--probe', 'every.toml', '--variant', 'none', ...args);
      const all = await run();
      const executed = all.result.launches[0]?.wave_instructions ?? 0;
      expect(all.result.launches[0]?.maps).toMatchObject([{ kept: executed, dropped: 0, overflowed: 0 }]);
      const most = all.result.launches[0]?.maps[0]?.most ?? 0;
      const room = Math.floor(most / 10);
      const few = await run('--capacity', String(room));
      expect(few.counts).toEqual(all.counts);
      const kept = all.counts.reduce((sum, count) => sum + Math.min(count, room), 0);
      expect(few.result.launches[0]?.maps).toMatchObject([
        { capacity: room, kept, dropped: executed - kept, most, overflowed: all.counts.length },
      ]);
      for (const unit of [0, 783]) expect(few.words(unit)).toEqual(all.words(unit).slice(0, room));
    });

    it('begins with a file of the generator, which runs as it is', async () => {
      const generated = await workspace.nx([
        'g',
        'kernloop:probe',
        project('saxpy'),
        '--name=loads',
        '--no-interactive',
      ]);
      expect([generated.code, generated.text]).toEqual([0, expect.stringContaining('loads.toml')]);
      const { result } = await probed(workspace, project('saxpy'), '--probe', 'loads.toml', '--variant', 'none');
      expect(result.launches[0]?.maps).toMatchObject([{ name: 'loads', kept: 2 * elements, dropped: 0 }]);
    });

    it('is a task, whose trace comes out of the cache', async () => {
      const task = ['run', 'hip-pipeline-clamp_to_range:trace-run', '--probe=block_sched'];
      expect((await workspace.nx(task)).text).toMatch(/Successfully ran target trace-run/);
      const folder = workspace.path(project('clamp_to_range'), 'trace');
      expect(existsSync(folder)).toBe(true);
      rmSync(folder, { recursive: true });
      const again = await workspace.nx(task);
      expect([again.code, again.text]).toEqual([0, expect.stringMatching(/existing outputs|local cache|from cache/i)]);
      expect(readdirSync(join(folder, 'block_sched'))).toHaveLength(1);
    });
  });

  it('have pages, whose pictures are those of docs/report.md', async () => {
    const options = ['--reproducer', project('matmul_tiled')];
    const store = 'c[row * n + column] = sum;';
    workspace.edit(variant('matmul_tiled'), (text) =>
      text.replace(store, 'c[row * n + column] = row % 9 == 3 ? sum * 1.0001f : sum;'),
    );
    expect(await workspace.kernloop(['recompile', ...options])).toMatchObject({ code: 0 });
    expect(await workspace.kernloop(['validate', ...options])).toMatchObject({ code: 1 });
    // State of a workspace in which only this kernel was edited.
    for (const [kernel] of kernels.slice(0, 3))
      await workspace.kernloop(['validate', '--reproducer', project(kernel), '--variant', 'none']);
    await takePictures(workspace, project('matmul_tiled'), `${project('clamp_to_range')}/trace/block_sched`);
  });
});
