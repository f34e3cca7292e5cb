import { existsSync } from 'node:fs';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { fakeRecorder } from '../testing/fake-programs';
import { TestWorkspace } from '../testing/workspace';
import { capture } from './capture';
import { captureOptionsSchema } from './options';
import type { RecorderConfig } from '../recorder/recorder-config';

describe('a dry run', () => {
  let workspace: TestWorkspace;
  let config: RecorderConfig;
  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const region = (id: string, bytes: number, more: object = {}) => ({
    ...{ id, base: '0x1000', bytes, class: 'device', api: 'hsa_amd_memory_pool_allocate', reached: 'arguments' },
    ...{ bytes_changed: 0, bytes_zero: 0, bytes_repeated: 0, bytes_stored: bytes },
    ...more,
  });
  const planned = {
    ...{
      event: 'planned',
      id: 'saxpy',
      ordinal: 1,
      bytes_raw: 9000,
      bytes_stored: 3000,
      regions: 2,
      bytes_tracked: 1 << 20,
    },
    ...{ kernel: 'saxpy(float*, float)', geometry: { grid_blocks: [4, 1, 1], block_threads: [256, 1, 1] } },
    plan: {
      regions: [region('r0', 1000), region('r1', 7000, { reached: 'region', from: 'r0', bytes_zero: 4096 })],
      scope_bytes: 8000,
      elapsed_ms: 1234,
    },
  };
  const deps = (event: object | null = planned): FakeDeps =>
    fakeDeps(
      {
        ldd: () => 1,
        program: () => 0,
        'kernloop-recorder': fakeRecorder({
          play: (given, print) => {
            config = given;
            if (event) print(event);
          },
        }),
      },
      workspace.native,
    );
  const run = (options: object, fake: FakeDeps) =>
    capture(captureOptionsSchema.parse({ app: workspace.app, dryRun: true, ...options }), fake);

  it('refuses what the capture would refuse: another kernel than the one that is declared by the name', async () => {
    const kernels = [{ name: 'saxpy', match: '^reduce\\(' }];
    workspace.write('app/kernloop.json', { name: 'app', command: ['./program'], kernels });
    const error = await failure(run({ match: 'float' }, deps()));
    expect([error.code, error.what]).toEqual([
      'USAGE',
      expect.stringContaining('took saxpy(float*, float), which is not'),
    ]);
    expect((await failure(run({ match: 'float', output: workspace.path('elsewhere') }, deps()))).what).toBe(error.what);
  });

  it('says what a capture would hold and take, writes nothing and replays nothing', async () => {
    const fake = deps();
    const { captures, plans } = await run({}, fake);
    expect(config).toMatchObject({ dry_run: true, store: null });
    expect(captures).toEqual([]);
    expect(plans).toMatchObject([
      { name: 'saxpy', ordinal: 1, scope_bytes: 8000, bytes_stored: 3000, fits: true, elapsed_ms: 1234 },
    ]);
    expect(plans[0]?.regions).toMatchObject([
      { id: 'r0', reached: 'arguments', from: null },
      { id: 'r1', reached: 'region', from: 'r0', bytes_zero: 4096 },
    ]);
    expect(existsSync(workspace.path('kernels'))).toBe(false);
    expect(existsSync(workspace.path('.kernloop/store'))).toBe(false);
    const said = fake.said.result.join('\n');
    expect(said).toMatch(/r1 +6\.8 KiB +r0 /);
    expect(said).toContain('measured: 1.23 s');
    // Regions are sorted by size, largest first.
    expect(said.indexOf('r1')).toBeLessThan(said.indexOf('\nr0'));
  });

  it.each([
    [8000, true, 'within the limit'],
    [7999, false, '--max-bytes 8000 would do'],
    [0, true, 'no limit'],
  ])('says whether it fits into %d bytes', async (maxBytes, fits, text) => {
    const fake = deps();
    const { plans } = await run({ maxBytes }, fake);
    expect(plans[0]?.fits).toBe(fits);
    expect(fake.said.result.join('\n')).toContain(text);
  });

  it('fails as a capture would where nothing matches', async () => {
    expect(await failure(run({ dispatch: '9' }, deps(null)))).toMatchObject({ code: 'NO_MATCH' });
  });
});
