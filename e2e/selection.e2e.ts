import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReplayResult } from '../lib/replay/result';
import { Workspace } from './harness';
import { addProbeApp, probeProgram, replayEvents, type CaptureJson, type ProbeKernel } from './probe';

interface Plan {
  scope_bytes: number;
  bytes_raw: number;
  bytes_stored: number;
  regions: { id: string; bytes: number; reached: string; from: string | null }[];
}

/** Selection of dispatches. Memory before the dispatch is computed from the source of the probe and compared. */
describe('selection of dispatches', () => {
  let workspace: Workspace;
  beforeAll(() => {
    workspace = Workspace.create([]);
  });
  afterAll(() => workspace.remove());

  /** Kernel, ordinal, geometry, and the first word of the array before and after the dispatch. */
  async function described(folder: string): Promise<[string, number, string, number]> {
    const { kernel, dispatch, geometry, regions } = workspace.json<CaptureJson>(`${folder}/capture.json`);
    const dump = workspace.path('dumps', randomUUID());
    const { code } = await replayEvents(workspace.path(folder), ['--compare', '--dump', dump]);
    expect([folder, code]).toEqual([folder, 0]);
    const after = readFileSync(join(dump, `${regions[0]?.id}.bin`)).readInt32LE(0);
    const shape = `${geometry.grid_blocks[0]}x${geometry.block_threads[0]}`;
    return [kernel.name.replace(/\(.*$/, ''), dispatch.ordinal, shape, after];
  }

  async function captures(app: string, kernel: string): Promise<[string, number, string, number][]> {
    const folder = `kernels/${app}/${kernel}`;
    const more = existsSync(workspace.path(folder, 'captures')) ? readdirSync(workspace.path(folder, 'captures')) : [];
    const all = [`${folder}/capture`, ...more.map((name) => `${folder}/captures/${name}`)];
    const found = await Promise.all(all.map(described));
    return found.sort((a, b) => a[1] - b[1]);
  }

  const capture = async (app: string, mode: string[], kernels: ProbeKernel[], extra: string[] = []) =>
    workspace.kernloop(['capture', '--app', await addProbeApp(workspace, app, mode, kernels), ...extra]);

  it('takes every distinct geometry of two kernels once, from one run', async () => {
    const outcome = await capture(
      'shapes',
      ['interleaved'],
      [
        { name: 'increment', match: '^increment', each: 'geometry' },
        { name: 'twice', match: '^twice', each: 'geometry' },
      ],
    );
    expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
    expect(await captures('shapes', 'increment')).toEqual([
      ['increment', 1, '4x64', 2],
      ['increment', 2, '8x64', 5],
      ['increment', 4, '4x128', 12],
    ]);
    expect(await captures('shapes', 'twice')).toEqual([
      ['twice', 1, '4x64', 4],
      ['twice', 3, '2x64', 24],
    ]);
  });

  it('judges a variant by every dispatch that was captured of its kernel, and by those that are named', async () => {
    const kernels: ProbeKernel[] = [{ name: 'increment', match: '^increment', each: 'geometry' }];
    const app = await addProbeApp(workspace, 'several', ['interleaved'], kernels);
    const extracted = await workspace.kernloop(['extract', '--app', app]);
    expect([extracted.code, extracted.text]).toEqual([0, expect.any(String)]);
    const reproducer = ['--reproducer', 'kernels/several/increment'];
    const untouched = await workspace.kernloop(['validate', ...reproducer]);
    expect([untouched.code, untouched.text]).toEqual([
      0,
      expect.stringMatching(/^Result: PASS \(3 captured dispatches: /m),
    ]);

    // Right for blocks of 64 threads, as in the first two captures; wrong for 128, as in the third.
    workspace.edit('kernels/several/increment/kernel_variant.hip', (text) =>
      text.replace('x[i] += 1;', 'x[i] += blockDim.x == 64 ? 1 : 2;'),
    );
    expect((await workspace.kernloop(['recompile', ...reproducer])).code).toBe(0);
    const verdict = async (...options: string[]): Promise<[number, string]> => {
      const { code, text } = await workspace.kernloop(['validate', ...reproducer, ...options]);
      return [code, text];
    };
    expect(await verdict()).toEqual([1, expect.stringMatching(/FAIL \(2 of 3 captured dispatches pass; dispatch 4: /)]);
    expect(await verdict('--capture', '1,2')).toEqual([
      0,
      expect.stringMatching(
        /PASS \(NOT seen: the other side .* 1 edited line; dispatch 4 NOT judged: --capture 1,2 leaves it out; 2 captured dispatches: /,
      ),
    ]);

    const replayed = await workspace.kernloop(['replay', ...reproducer, '--capture', 'all', '--compare', '--json']);
    const { dispatches } = (JSON.parse(replayed.stdout) as { result: ReplayResult }).result;
    // Each block takes as many of the 1,024 elements as it has threads.
    expect(
      dispatches.map(({ dispatch, capture: folder, check, counters }) => [
        dispatch,
        folder,
        check?.variant.differing_bytes,
        counters['waves']?.median,
      ]),
    ).toEqual([
      [1, 'capture', 0, 4],
      [2, 'captures/2', 0, 8],
      [4, 'captures/4', 512, 8],
    ]);
  });

  it('takes ranges of ordinals, and says what came where one runs off the end', async () => {
    const kernels = [{ name: 'increment', match: '^increment' }];
    const outcome = await capture('ranges', ['interleaved'], kernels, ['--dispatch', '2,4-7', '--no-self-check']);
    expect([outcome.code, outcome.text]).toEqual([
      2,
      expect.stringMatching(
        /dispatch 6-7 was asked for, but only 5 matched[^]*increment\(int\*, int\) \(5 dispatches\)/,
      ),
    ]);
    expect((await captures('ranges', 'increment')).map(([, ordinal, , after]) => [ordinal, after])).toEqual([
      [2, 5],
      [4, 12],
      [5, 25],
    ]);
  });

  it.each([
    ['the last dispatch', ['--dispatch', 'last'], [['void tile<10>', 11, '2x128', 354]]],
    [
      'dispatches behind a kernel that ends the tuning',
      ['--after', '^increment'],
      [['void tile<10>', 1, '2x128', 344]],
    ],
    [
      'each configuration once',
      ['--each', 'kernel'],
      [
        ['void tile<1>', 1, '4x64', 1],
        ['void tile<10>', 4, '2x128', 13],
        ['void tile<100>', 7, '1x256', 133],
      ],
    ],
  ])('tells trials of an autotuner apart: %s', async (_what, options, expected) => {
    const kernels = [{ name: 'tile', match: '^void tile<' }];
    const outcome = await capture('tune', ['tune'], kernels, [...options, '--no-self-check']);
    expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
    expect(await captures('tune', 'tile')).toEqual(expected);
  });

  it('says beforehand what a capture takes, to the byte, and keeps to a limit to the byte', async () => {
    const kernels = [{ name: 'scale', match: 'scale_linked' }];
    const dry = await capture('cost', ['linked', '16'], kernels, ['--dry-run', '--json']);
    expect([dry.code, dry.text]).toEqual([0, expect.any(String)]);
    expect(existsSync(workspace.path('kernels/cost'))).toBe(false);
    const { plans } = (JSON.parse(dry.stdout) as { result: { plans: Plan[] } }).result;
    const plan = plans[0]!;

    const limit = (bytes: number) =>
      capture('cost', ['linked', '16'], kernels, ['--max-bytes', String(bytes), '--no-self-check', '--json']);
    const below = await limit(plan.scope_bytes - 1);
    expect([below.code, below.stdout]).toEqual([1, expect.stringContaining('BYTE_BUDGET')]);
    // The app ran to its end, but no part of the capture exists.
    expect(below.stderr).toContain('probe linked: ok');
    expect(existsSync(workspace.path('kernels/cost/scale/capture'))).toBe(false);

    const exact = await limit(plan.scope_bytes);
    expect([exact.code, exact.text]).toEqual([0, expect.any(String)]);
    const { captures } = (JSON.parse(exact.stdout) as { result: { captures: Plan[] } }).result;
    expect(captures[0]).toMatchObject({ bytes_raw: plan.bytes_raw, bytes_stored: plan.bytes_stored });
    const { regions, module_variables: variables } = workspace.json<CaptureJson>(
      'kernels/cost/scale/capture/capture.json',
    );
    const sizes = (list: { id?: string; name?: string; bytes?: number; size?: number }[]) =>
      list.map(({ id, name, bytes, size }) => [id ?? name, bytes ?? size]).sort();
    expect(sizes(plan.regions)).toEqual(sizes([...regions, ...variables]));
    // The arguments lead to the table of pointers, in which all arrays are found.
    const [table] = plan.regions.filter(({ reached }) => reached === 'arguments');
    const others = plan.regions.filter(({ reached }) => reached === 'region');
    expect(others.length).toBeGreaterThanOrEqual(17);
    expect(others.some(({ from }) => from === table!.id)).toBe(true);
  });

  it('gives tasks of one Nx run exactly what each gives alone, from one run of the app', async () => {
    const kernels: ProbeKernel[] = [
      { name: 'first', match: '^increment', ordinal: 2 },
      { name: 'second', match: '^twice', dispatch: '1-2' },
      { name: 'third', match: '^twice', ordinal: 3 },
      // The same dispatch that "first" takes.
      { name: 'same', match: '^increment', ordinal: 2 },
      { name: 'missing', match: '^increment', ordinal: 9 },
    ];
    await addProbeApp(workspace, 'batch', ['interleaved'], kernels);
    const program = await probeProgram();
    // A log named in the command itself would be an input that changes with every run.
    workspace.write('count.sh', `#!/bin/sh\necho run >> "${workspace.path('runs.log')}"; exec "$@"\n`);
    workspace.edit('apps/batch/kernloop.json', (text) =>
      text.replace(
        JSON.stringify(program),
        JSON.stringify('sh').concat(`, "${workspace.path('count.sh')}", ${JSON.stringify(program)}`),
      ),
    );
    await workspace.commitAll();
    const starts = (): number => workspace.read('runs.log').split('\n').length - 1;
    const files = (name: string): Record<string, string> => {
      const root = workspace.path('kernels/batch', name);
      const found: Record<string, string> = {};
      for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        // Data that varies between runs is in a separate file.
        if (entry.isFile() && entry.name !== 'observed.json')
          found[path.slice(root.length)] = createHash('sha256').update(readFileSync(path)).digest('hex');
      }
      return found;
    };

    const three = ['capture-first', 'capture-second', 'capture-third'];
    const together = await workspace.nx(['run-many', '-p', 'batch', '-t', ...three]);
    expect([together.code, together.text]).toEqual([0, expect.any(String)]);
    expect(starts()).toBe(1);

    const rest = await workspace.nx([
      'run-many',
      '-p',
      'batch',
      '-t',
      'capture-same',
      'capture-missing',
      ...three,
      '--skipNxCache',
    ]);
    expect([rest.code === 0, rest.text]).toEqual([
      false,
      expect.stringMatching(/missing: dispatch 9 was asked for, but only 5 matched/),
    ]);
    // "same" and "first" select one dispatch: each gets it from a separate run.
    expect(starts()).toBe(3);

    const names = ['first', 'second', 'third', 'same'];
    const batched = names.map(files);
    expect(batched.map((one) => Object.keys(one).length > 0)).toEqual([true, true, true, true]);
    for (const name of names) {
      const alone = await workspace.kernloop(['capture', '--app', 'apps/batch', '--kernel', name]);
      expect([alone.code, alone.text]).toEqual([0, expect.any(String)]);
    }
    expect(starts()).toBe(7);
    expect(names.map(files)).toEqual(batched);
    expect(existsSync(workspace.path('kernels/batch/missing/capture'))).toBe(false);

    // Settings of one kernel affect only its tasks, and settings for all kernels affect all: each time one run of the
    // app.
    const extract = async (): Promise<(string | undefined)[]> => {
      const targets = ['first', 'second', 'third'].map((name) => `extract-${name}`);
      const { code, text } = await workspace.nx(['run-many', '-p', 'batch', '-t', ...targets]);
      expect([code, text]).toEqual([0, expect.any(String)]);
      // The line of a task that ran ends with its name; other lines say where their outputs came from.
      return [...new Set([...text.matchAll(/nx run batch:(capture-\w+) *$/gm)].map(([, task]) => task))].sort();
    };
    expect([await extract(), starts()]).toEqual([[], 7]);
    const declared = 'apps/batch/kernloop.json';
    workspace.edit(declared, (text) => text.replace('"dispatch": "1-2"', '"dispatch": "2"'));
    expect([await extract(), starts()]).toEqual([['capture-second'], 8]);
    expect(workspace.json<CaptureJson>('kernels/batch/second/capture/capture.json').dispatch.ordinal).toBe(2);
    workspace.edit(declared, (text) => text.replace('"HIP_PLATFORM": "amd"', '"HIP_PLATFORM": "amd", "UNUSED": "1"'));
    expect([await extract(), starts()]).toEqual([['capture-first', 'capture-second', 'capture-third'], 9]);
  });
});
