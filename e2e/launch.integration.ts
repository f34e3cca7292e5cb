import { join } from 'node:path';
import { repository, run, nativeDirectory } from './harness';
import { Workspace } from './in-process';
import type { CaptureJson } from './probe';

const source = join(repository, 'e2e', 'fixtures', 'launch');

/** An edit that fails with the app's own launch is wrong, even if a replay could run it. */
describe.each(['gfx90a', 'gfx1030'])('what can be launched on %s', (target) => {
  const build = join(repository, '.kernloop', 'e2e', `launch-${target}`);
  const project = 'kernels/launch/turn';
  const launches = ['direct', 'hip'] as const;
  let workspace: Workspace;
  let original = '';

  const kernloop = (verb: string, ...args: string[]) =>
    workspace.kernloop([
      verb,
      '--reproducer',
      project,
      ...(verb === 'recompile' ? [] : ['--softgpu', target]),
      ...args,
    ]);

  /** Runs the app with the same edit on the same device, as the oracle. */
  const app = (program: string) =>
    run(join(build, program), [], {
      env: { LD_LIBRARY_PATH: join(nativeDirectory, 'lib', 'softgpu'), KERNLOOP_SOFTGPU: target },
    });

  const edit = async (define: string): Promise<void> => {
    const name = define.split(' ')[0] ?? '';
    workspace.write(
      `${project}/kernel_variant.hip`,
      original.replace(new RegExp(`#define ${name} \\d+`), `#define ${define}`),
    );
    const built = await kernloop('recompile');
    expect([built.code, built.text]).toEqual([0, expect.any(String)]);
  };

  beforeAll(async () => {
    workspace = Workspace.create([]);
    for (const args of [
      ['-S', source, '-B', build, `-DTARGET=${target}`],
      ['--build', build],
    ]) {
      const outcome = await run('cmake', args, { env: { HIP_PLATFORM: 'amd' } });
      expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
    }
    workspace.write('apps/launch/kernloop.json', {
      name: 'launch',
      device: 'softgpu',
      command: [join(build, 'launch')],
      env: { HIP_PLATFORM: 'amd' },
      source,
      compileCommands: join(build, 'compile_commands.json'),
      kernels: [{ name: 'turn', match: '^turn\\(' }],
    });
    const extracted = await workspace.kernloop(['extract', '--app', 'apps/launch', '--softgpu', target]);
    expect([extracted.code, extracted.text]).toEqual([0, expect.any(String)]);
    original = workspace.read(`${project}/kernel_variant.hip`);
    expect(original).toContain('#define BOUNDS 256');
  });
  afterAll(() => workspace.remove());

  it('the app runs as it is, and with neither of the edits that are to fail', async () => {
    expect((await app('launch')).code).toBe(0);
    for (const program of ['launch_bounds_64', 'launch_slots_16384']) {
      const outcome = await app(program);
      expect([program, outcome.code, outcome.text]).toEqual([program, 1, expect.stringContaining('not launched')]);
    }
  });

  it.each(launches)('captured code passes where no name covers all of its variables, launched %s', async (launch) => {
    const { module_variables: variables } = workspace.json<CaptureJson>(`${project}/capture/capture.json`);
    expect(variables.map(({ name }) => name)).toEqual(expect.arrayContaining(['launches', 'totals', '.bss+0x4']));
    const verdict = await kernloop('validate', '--variant', 'none', '--launch', launch);
    expect([verdict.code, verdict.text]).toEqual([0, expect.stringContaining('Result: PASS')]);
  });

  it.each([
    ['BOUNDS 64', /at most 64 threads a block.*the launch has 256/],
    ['SLOTS 16384', /66560 bytes of shared memory \(65536 static, 1024 dynamic\).*gives it 65536/],
  ])('%s: the app could not launch it, which is a FAIL with that reason', async (define, reason) => {
    await edit(define);
    for (const launch of launches) {
      const verdict = await kernloop('validate', '--launch', launch);
      expect([launch, verdict.code, verdict.text]).toEqual([launch, 1, expect.stringMatching(reason)]);
      expect(verdict.text).toMatch(/^Result: FAIL \(turn cannot be launched as the app launches it/m);
      expect(workspace.json<object>(`${project}/report.json`)).toMatchObject({
        verdict: 'fail',
        exit_code: 1,
        summary: expect.stringMatching(reason) as string,
      });
      const replayed = await kernloop('replay', '--launch', launch);
      expect([replayed.code, replayed.text]).toEqual([1, expect.stringMatching(/LAUNCH_IMPOSSIBLE/)]);
    }
  });

  it.each(['BOUNDS 512', 'BOUNDS 1024', 'SLOTS 16128'])('%s: within the limits, a PASS', async (define) => {
    await edit(define);
    for (const launch of launches) {
      const verdict = await kernloop('validate', '--launch', launch);
      expect([launch, verdict.code, verdict.text]).toEqual([launch, 0, expect.stringContaining('Result: PASS')]);
    }
  });

  it('holds other launches against the same limits', async () => {
    await edit('BOUNDS 64');
    const fits = await kernloop('replay', '--block', '64');
    expect([fits.code, fits.text]).toEqual([0, expect.stringContaining('Result: RAN')]);
    const large = await kernloop('replay', '--block', '65');
    expect([large.code, large.text]).toEqual([
      1,
      expect.stringMatching(/LAUNCH_IMPOSSIBLE[^]*at most 64|at most 64[^]*LAUNCH_IMPOSSIBLE/),
    ]);
    const shared = await kernloop('replay', '--variant', 'none', '--dynamic-shared', '65536');
    expect([shared.code, shared.text]).toEqual([1, expect.stringMatching(/66560 bytes of shared memory/)]);
  });
});
