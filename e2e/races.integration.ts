import { join } from 'node:path';
import { addExtracted, builtOnce, recompiled } from './fixtures';
import { repository } from './harness';
import { Workspace } from './in-process';

const kernels = [
  'sum_blocks',
  'sum_waves',
  'reduce_tree',
  'sum_tiles',
  'last_block_sums',
  'triple',
  'any_negative',
  'sum_under_lock',
  'histogram',
] as const;
type Kernel = (typeof kernels)[number];

interface Report {
  verdict: string;
  races: { where: string | null; accesses: { source: string | null }[] }[];
  replays: { verdict: string }[];
}

/**
 * Races edited into race-free kernels must fail. Correct ways of sharing memory, and the unchanged kernels, must pass.
 */
describe.each(['gfx90a', 'gfx1030'])('races on %s', (target) => {
  let workspace: Workspace;
  const onTarget = ['--softgpu', target];
  const folder = (kernel: Kernel): string => `kernels/races/${kernel}`;

  beforeAll(async () => {
    workspace = Workspace.create([]);
    const source = join(repository, 'e2e', 'fixtures', 'races');
    const build = await builtOnce(source, `-DTARGET=${target}`);
    const addApp = (there: Workspace): string => {
      there.write('apps/races/kernloop.json', {
        name: 'races',
        device: 'softgpu',
        command: [join(build, 'races')],
        env: { HIP_PLATFORM: 'amd' },
        source,
        compileCommands: join(build, 'compile_commands.json'),
        kernels: kernels.map((name) => ({ name, match: `^${name}\\(` })),
      });
      return 'apps/races';
    };
    await addExtracted(workspace, source, addApp, ...onTarget);
  });
  afterAll(() => workspace.remove());

  const validate = async (kernel: Kernel, ...options: string[]) => {
    const outcome = await workspace.kernloop(['validate', '--reproducer', folder(kernel), ...onTarget, ...options]);
    return { ...outcome, report: workspace.json<Report>(`${folder(kernel)}/report.json`) };
  };
  /** Validates with one place in the source replaced, built with line information. */
  const validateEdited = async (kernel: Kernel, from: string, to: string, ...options: string[]) => {
    const file = `${folder(kernel)}/kernel_variant.hip`;
    const original = workspace.read(file);
    expect(original.split(from)).toHaveLength(2);
    workspace.write(file, original.replace(from, to));
    try {
      await recompiled(workspace, folder(kernel), '--line-info');
      return await validate(kernel, ...options);
    } finally {
      workspace.write(file, original);
    }
  };

  it.each<[string, Kernel, string, string, string | RegExp]>([
    ['an update lost between blocks', 'sum_blocks', 'atomicAdd(sum, total)', '*sum += total', /^r\d+$/],
    [
      'an update lost between waves',
      'sum_waves',
      'atomicAdd(&total, in[blockIdx.x * kThreads + t])',
      'total += in[blockIdx.x * kThreads + t]',
      'LDS',
    ],
    ['a tree without its barrier', 'reduce_tree', '__syncthreads();  // of the tree', '', 'LDS'],
    ['a tile that is written again too early', 'sum_tiles', '__syncthreads();  // before the next tile', '', 'LDS'],
    [
      'tickets that are not atomic',
      'last_block_sums',
      'ticket = atomicInc(arrived, gridDim.x)',
      'ticket = *arrived; *arrived = ticket + 1',
      /^r\d+$/,
    ],
    [
      'a read of what another block writes',
      'triple',
      'out[i] = in[i] * 3;',
      'out[i] = threadIdx.x == 0 && i > 0 ? in[i] * 3 + out[i - 1] - in[i - 1] * 3 : in[i] * 3;',
      /^r\d+$/,
    ],
  ])('%s fails, and is named', async (_name, kernel, from, to, where) => {
    const { code, text, report } = await validateEdited(kernel, from, to);
    expect([code, text]).toEqual([
      1,
      expect.stringMatching(/Result: FAIL \(a race that the captured code does not have, at /),
    ]);
    expect(report.races.map((race) => race.where)).toContainEqual(
      typeof where === 'string' ? where : expect.stringMatching(where),
    );
    expect(report.races.flatMap(({ accesses }) => accesses.map(({ source }) => source))).toContainEqual(
      expect.stringMatching(/^kernel_variant\.hip:\d+$/),
    );
  });

  it.each(kernels.map((kernel) => [kernel]))('%s passes as it was captured, and recompiled', async (kernel) => {
    const captured = await validate(kernel, '--variant', 'none');
    expect([captured.code, captured.text]).toEqual([0, expect.stringMatching(/Result: PASS .*one in adverse order/)]);
    await recompiled(workspace, folder(kernel));
    const again = await validate(kernel, '--variant', 'build/variant.hsaco');
    expect([again.code, again.text]).toEqual([0, expect.stringMatching(/Result: PASS .*one in adverse order/)]);
    expect(again.report.races).toEqual([]);
  });

  it('an edit that stores one value from many blocks passes', async () => {
    const { code, text } = await validateEdited(
      'any_negative',
      '*flag = 1;',
      'if (threadIdx.x % 2 == 0) *flag = 1; else flag[0] = 1;',
    );
    expect([code, text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
  });
});
