import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { thrown } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { fakeReplay } from '../testing/fake-programs';
import { captureJson, kernelJson, TestWorkspace, verifiedSelfcheck, writeReproducer } from '../testing/workspace';
import { sealed } from '../archive/selfcheck-seal';
import { validateOptionsSchema } from '../validate/options';
import { validate } from '../validate/validate';
import { kernels } from './kernels';
import type { KernelsResult, ListedKernel } from './result';

describe('kernels', () => {
  let workspace: TestWorkspace;
  let deps: FakeDeps;

  beforeEach(() => {
    workspace = new TestWorkspace();
    deps = fakeDeps({ 'kernloop-replay': fakeReplay() }, workspace.native);
  });
  afterEach(() => workspace.dispose());

  const list = (folder = workspace.root): KernelsResult => kernels({ workspace: folder }, deps);
  const saxpy = (): ListedKernel | undefined => list().apps[0]?.kernels[0];
  const judge = (reproducer: string, overrides: object = {}): Promise<unknown> =>
    validate(validateOptionsSchema.parse({ reproducer, adverse: false, ...overrides }), deps);

  it('are those that kernloop.json declares, before anything was extracted', () => {
    const kernel = { name: 'saxpy', match: '^saxpy\\(', reproducer: null, captured: false, verdict: null, problem: null };
    expect(list()).toEqual({
      workspace: workspace.root,
      apps: [{ name: 'app', folder: 'app', device: 'softgpu', profiled: false, kernels: [kernel], problem: null }],
      complete: true,
    });
    expect(list(workspace.app)).toEqual(list());
    expect(deps.said.result.slice(0, 2)).toEqual([
      'app  folder  kernel  reproducer     last verdict',
      'app  app     saxpy   not extracted  none',
    ]);
  });

  it('have the last verdict, which an edit after it does not touch, but is told beside it', async () => {
    const reproducer = writeReproducer(workspace);
    expect(saxpy()).toMatchObject({ reproducer: 'kernels/app/saxpy', captured: true, verdict: null });
    await judge(reproducer);
    expect(saxpy()?.verdict).toMatchObject({ verdict: 'pass', code: 'captured', current: true, changed: null });
    workspace.write('kernels/app/saxpy/kernel_variant.hip', '__global__ void saxpy() { wrong(); }\n');
    expect(saxpy()?.verdict).toMatchObject({
      verdict: 'pass',
      current: false,
      changed: 'kernel_variant.hip was edited but not compiled',
    });
    expect(deps.said.result.at(-1)).toContain('pass (captured code); since then: kernel_variant.hip was edited');
  });

  it('have no current verdict where other code, or another capture, is there than was judged', async () => {
    const reproducer = writeReproducer(workspace);
    workspace.write('kernels/app/saxpy/candidate.hsaco', 'mine');
    await judge(reproducer);
    expect(saxpy()?.verdict).toMatchObject({ code: 'variant', current: true });
    workspace.write('kernels/app/saxpy/candidate.hsaco', 'another');
    expect(saxpy()?.verdict?.changed).toBe('candidate.hsaco is other code');
    rmSync(join(reproducer, 'candidate.hsaco'));
    expect(saxpy()?.verdict?.changed).toBe('the edit was taken back');

    await judge(reproducer);
    expect(saxpy()?.verdict?.changed).toBeNull();
    const path = 'kernels/app/saxpy/capture/capture.json';
    workspace.write(path, captureJson({ execution: { wave_instructions: 1 } }));
    workspace.write('kernels/app/saxpy/capture/selfcheck.json', sealed(verifiedSelfcheck(workspace.path(path))));
    expect(saxpy()?.verdict?.changed).toBe('capture is another capture');
    rmSync(workspace.path('kernels/app/saxpy/capture'), { recursive: true });
    expect(saxpy()).toMatchObject({ captured: false, verdict: { current: false } });
  });

  it('have what a pass did not show beside it', async () => {
    await judge(writeReproducer(workspace));
    const path = 'kernels/app/saxpy/report.json';
    const report = JSON.parse(workspace.read(path)) as object;
    const lines = { edited: 14, without_code: 0, not_run: [3, 9].map((line) => ({ file: 'k.hip', line })) };
    workspace.write(path, { ...report, edited_lines: lines });
    const doubts = 'NOT judged: 2 of 14 edited lines, which never ran';
    expect(saxpy()?.verdict).toMatchObject({ verdict: 'pass', doubts });
    expect(deps.said.result.at(-1)).toContain(`pass (captured code), ${doubts}`);
  });

  it('are listed where nobody declares them, and where their app is not in the workspace', () => {
    workspace.write('kernels/app/old/kernel.json', kernelJson());
    workspace.write('kernels/far/reduce/kernel.json', kernelJson({ app: { name: 'far', root: 'far' } }));
    // A reproducer keeps its app where it is moved.
    workspace.write('kernels/elsewhere/moved/kernel.json', kernelJson());
    mkdirSync(workspace.path('kernels/app/nothing'));
    const named = list().apps.map(({ folder, kernels: all }) => [
      folder,
      all.map(({ name, match, reproducer }) => [name, match, reproducer]),
    ]);
    expect(named).toEqual([
      [
        'app',
        [
          ['saxpy', '^saxpy\\(', null],
          ['old', null, 'kernels/app/old'],
          ['moved', null, 'kernels/elsewhere/moved'],
        ],
      ],
      [null, [['reduce', null, 'kernels/far/reduce']]],
    ]);
  });

  it('do not hide what cannot be read', () => {
    workspace.write('apps/broken/kernloop.json', '{ "name": ');
    writeReproducer(workspace);
    workspace.write('kernels/app/saxpy/report.json', '{}');
    const [first, second] = list().apps;
    expect(first?.kernels[0]).toMatchObject({ verdict: null, problem: expect.stringContaining('report.json') as string });
    expect(second).toMatchObject({ name: null, folder: 'apps/broken', problem: expect.stringContaining('is not JSON') as string });
    expect(deps.said.result.join('\n')).toMatch(/apps\/broken .* is not JSON/);
  });

  it('are found in an app with its kernels beside it, where there is no nx.json, and never through a link', () => {
    rmSync(workspace.path('nx.json'));
    workspace.write('app/kernels/app/saxpy/kernel.json', kernelJson());
    symlinkSync(workspace.root, workspace.path('app/loop'));
    const { apps } = list();
    expect(apps.map(({ folder, kernels: [kernel] }) => [folder, kernel?.reproducer])).toEqual([
      ['app', 'app/kernels/app/saxpy'],
    ]);
  });

  it('of an empty folder are none, with what to do, and of no folder an error', () => {
    rmSync(workspace.app, { recursive: true });
    expect(list().apps).toEqual([]);
    expect(deps.said.result).toEqual([expect.stringContaining('has no app')]);
    expect(thrown(() => list(workspace.path('nowhere'))).code).toBe('USAGE');
  });

  it('may be incomplete in a tree that is too large, which is said', () => {
    for (let index = 0; index < 5001; index += 1) mkdirSync(workspace.path(`many/${index}`), { recursive: true });
    expect(list()).toMatchObject({ complete: false, apps: [{ name: 'app' }] });
    expect(deps.said.warn).toHaveLength(1);
  });
});
