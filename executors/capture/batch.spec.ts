import { keepCapture } from '../../lib/archive/kept-capture';
import type { RecorderConfig } from '../../lib/recorder/recorder-config';
import { fakeDeps, type FakeDeps } from '../../lib/testing/fake-deps';
import { fakeRecorder, fakeReplay, type Play } from '../../lib/testing/fake-programs';
import { captureJson, TestWorkspace } from '../../lib/testing/workspace';
import captureBatch, { type TaskResult } from './batch';

describe('the batch of captures', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    workspace = new TestWorkspace({ kernels: ['a', 'b', 'c'].map((name) => ({ name, match: name })) });
  });
  afterEach(() => workspace.dispose());

  function deps(play?: Play): FakeDeps {
    const programs = {
      ldd: () => 1,
      program: () => 0,
      'kernloop-recorder': fakeRecorder(play ? { play } : {}),
      'kernloop-replay': fakeReplay(),
    };
    return fakeDeps(programs, workspace.native);
  }

  async function run(
    inputs: Record<string, Record<string, unknown>>,
    fake: FakeDeps,
  ): Promise<Record<string, TaskResult['result']>> {
    const task = (id: string) => ({ id, target: { project: 'app', target: id.split(':')[1] } });
    const tasks = Object.fromEntries(Object.keys(inputs).map((id) => [id, task(id)])) as never;
    const context = { root: workspace.root, projectsConfigurations: projectsConfigurations as never };
    const results: Record<string, TaskResult['result']> = {};
    for await (const { task, result } of captureBatch({ tasks }, inputs, {}, context, fake)) results[task] = result;
    return results;
  }

  /** One target is written by the user, with another output. */
  const own = { cache: true, outputs: ['{workspaceRoot}/other/capture'] };
  const projectsConfigurations = {
    projects: { app: { root: 'app', targets: { again: own, 'capture-a': { cache: true } } } },
  };

  const appRuns = (fake: FakeDeps): number => fake.calls.filter(({ program }) => program === 'program').length;
  const input = (kernel: string, more: object = {}) => ({ app: 'app', kernel: [kernel], build: false, ...more });

  it('serves every kernel of an app from one run', async () => {
    const fake = deps();
    const results = await run({ 'app:capture-a': input('a'), 'app:capture-b': input('b') }, fake);
    expect(results).toMatchObject({ 'app:capture-a': { success: true }, 'app:capture-b': { success: true } });
    expect(appRuns(fake)).toBe(1);
  });

  it('runs nothing for a capture from elsewhere, which stays', async () => {
    const place = workspace.path('kernels/app/a/capture');
    workspace.write(`${place}/capture.json`, captureJson());
    keepCapture(place, 'theirs.klpack');
    const fake = deps();
    const results = await run({ 'app:capture-a': input('a') }, fake);
    expect(results['app:capture-a']).toMatchObject({
      success: true,
      terminalOutput: expect.stringContaining('is from theirs.klpack and kept') as string,
    });
    expect(appRuns(fake)).toBe(0);
  });

  it('fails only the task whose kernel was not captured, and says why in its output', async () => {
    const fake = deps((_config, _print, capture) => capture('b'));
    const results = await run({ 'app:capture-a': input('a'), 'app:capture-b': input('b') }, fake);
    expect(results).toMatchObject({ 'app:capture-a': { success: false }, 'app:capture-b': { success: true } });
    expect(results['app:capture-a']?.terminalOutput).toContain('CAPTURE_REFUSED');
  });

  it('serves every task from one run, whatever each selects', async () => {
    const configs: RecorderConfig[] = [];
    const fake = deps((config, _print, capture) => {
      configs.push(config);
      for (const { id } of config.selections) capture(id);
    });
    await run(
      {
        'app:capture-a': input('a', { maxBytes: 1000 }),
        'app:capture-b': input('b', { scope: 'all' }),
        'app:capture-c': input('c', { ordinal: 2 }),
      },
      fake,
    );
    expect(configs.map(({ selections }) => selections)).toMatchObject([
      [
        { id: 'a', byte_budget: 1000, scope: 'reachable', ordinals: [[1, 1]] },
        { id: 'b', scope: 'all' },
        { id: 'c', ordinals: [[2, 2]] },
      ],
    ]);
    expect(appRuns(fake)).toBe(1);
  });

  it('runs the app apart for tasks that it is to run for in another way, and for a kernel that is wanted twice', async () => {
    const fake = deps();
    const other = workspace.path('other/capture');
    await run(
      {
        'app:capture-a': input('a'),
        'app:slow': input('b', { drainLimitMs: 5 }),
        'app:again': input('a', { output: other }),
      },
      fake,
    );
    expect(appRuns(fake)).toBe(3);
  });

  it('tells each task of its own captures and of its own failures only', async () => {
    const fake = deps((_config, print, capture) => {
      capture('a');
      print({ event: 'refused', id: 'b', code: 'BYTE_BUDGET', reason: 'too much', hint: '' });
    });
    const results = await run({ 'app:capture-a': input('a'), 'app:capture-b': input('b') }, fake);
    expect(results['app:capture-a']).toMatchObject({
      success: true,
      terminalOutput: expect.stringMatching(/^a: dispatch 1/) as string,
    });
    expect(results['app:capture-b']).toMatchObject({
      success: false,
      terminalOutput: expect.stringContaining('BYTE_BUDGET') as string,
    });
    expect(results['app:capture-a']?.terminalOutput).not.toContain('b: ');
  });

  it('gives every task a result when the app cannot be run at all', async () => {
    const fake = fakeDeps({ ldd: () => 1 }, workspace.native);
    const results = await run({ 'app:capture-a': input('a'), 'app:capture-b': input('b') }, fake);
    expect(Object.values(results).map(({ success }) => success)).toEqual([false, false]);
  });

  it.each([
    ['its output elsewhere', { output: 'elsewhere' }, 'a task of Nx writes what it declares'],
    ['another app', { app: 'other' }, 'would keep the answer as that of app'],
  ])('refuses %s, which a hit would not bring back', async (_name, more, message) => {
    workspace.write('other/kernloop.json', {
      name: 'other',
      command: ['./program'],
      kernels: [{ name: 'a', match: 'a' }],
    });
    const fake = deps();
    const results = await run({ 'app:capture-a': input('a', more) }, fake);
    expect(results['app:capture-a']).toMatchObject({
      success: false,
      terminalOutput: expect.stringContaining(message) as string,
    });
    expect(appRuns(fake)).toBe(0);
  });

  it('refuses a dry run, which Nx would keep as the result of the task', async () => {
    const results = await run({ 'app:capture-a': input('a', { dryRun: true }), 'app:capture-b': input('b') }, deps());
    expect(results).toMatchObject({ 'app:capture-a': { success: false }, 'app:capture-b': { success: true } });
    expect(results['app:capture-a']?.terminalOutput).toContain('kernloop capture --dry-run');
  });

  it('fails a task with an option that does not exist, and runs the others', async () => {
    const results = await run({ 'app:capture-a': input('a', { scope: 'wide' }), 'app:capture-b': input('b') }, deps());
    expect(results).toMatchObject({ 'app:capture-a': { success: false }, 'app:capture-b': { success: true } });
  });
});
