import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openApp } from '../app/app';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps, type FakeProgram } from '../testing/fake-deps';
import { fakeLock, fakeRecorder, type Play } from '../testing/fake-programs';
import { TestWorkspace } from '../testing/workspace';
import { declareCommand } from './declare-command';
import { extractOptionsSchema } from './options';

type FakeEnd = Awaited<ReturnType<FakeProgram>>;

const row = {
  ...{ name: 'mine(float*)', symbol: '_Zmine', code_object: 'c', unit: 'wave_instructions', dispatches: 1 },
  ...{ total: 70, min: 70, median: 70, max: 70 },
  geometries: [{ grid_blocks: [4, 1, 1], block_threads: [64, 1, 1], dispatches: 1 }],
};

describe('kernels of a command, as they are declared,', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    workspace = new TestWorkspace();
    rmSync(join(workspace.app, 'kernloop.json'));
  });
  afterEach(() => workspace.dispose());

  /** Declares a kernel of a program that ends like this, after these launches. */
  const declareOf = (end: FakeEnd, summary: object, notes: readonly object[] = []): Promise<unknown> => {
    const play: Play = (_config, print) => notes.forEach(print);
    const deps = fakeDeps(
      { ldd: () => 1, program: () => end, 'kernloop-recorder': fakeRecorder({ play, summary }), sh: fakeLock },
      workspace.native,
    );
    const options = { app: workspace.app, command: ['./program'], kernel: ['mine'], build: false };
    return declareCommand(extractOptionsSchema.parse(options), deps);
  };
  const launched = { dispatches: 1, kernels: [], kernel_profile: [row] };
  const killed = { exitCode: null, signal: 'SIGSEGV' } as const;

  it.each<[FakeEnd]>([[3], [killed]])('are those of a program that fails after its launches, too (%j)', async (end) => {
    expect(await declareOf(end, launched)).toMatchObject({ kernel: ['mine'] });
    expect(openApp(workspace.app).config.kernels.map(({ name }) => name)).toEqual(['mine']);
  });

  it.each<[string, FakeEnd, object, object[], string]>([
    ['fails before it launches', 3, { ...launched, dispatches: 0, kernel_profile: [] }, [], 'APP_FAILED'],
    ['is killed before all is measured', killed, { ...launched, dispatches: 2 }, [], 'APP_FAILED'],
    ['is ended by the time limit', { ...killed, timedOut: true }, launched, [], 'APP_FAILED'],
    ['faults', killed, launched, [{ event: 'note', code: 'DEVICE_FAULT', text: 'misaligned' }], 'DEVICE_FAULT'],
  ])('are not declared if it %s', async (_case, end, summary, notes, code) => {
    expect((await failure(declareOf(end, summary, notes))).code).toBe(code);
    expect(existsSync(join(workspace.app, 'kernloop.json'))).toBe(false);
  });

  /** `meanwhile` is what another command writes between the run of the program and the lock. */
  const declareWhile = (meanwhile: object): { done: Promise<unknown>; deps: FakeDeps } => {
    const summary = { dispatches: 1, kernels: [], kernel_profile: [row] };
    const deps = fakeDeps(
      {
        ldd: () => 1,
        program: () => 0,
        'kernloop-recorder': fakeRecorder({ play: () => undefined, summary }),
        sh: (call) => {
          workspace.write('app/kernloop.json', meanwhile);
          return fakeLock(call);
        },
      },
      workspace.native,
    );
    const options = { app: workspace.app, command: ['./program'], kernel: ['mine'], build: false };
    return { done: declareCommand(extractOptionsSchema.parse(options), deps), deps };
  };
  const other = { name: 'other', match: '^other' };

  it.each([[true], [false]])('keep the entry that another command adds meanwhile (declared before: %j)', async (is) => {
    const app = { name: 'program', command: ['./program'], device: 'softgpu' };
    if (is) workspace.write('app/kernloop.json', { ...app, kernels: [] });
    await declareWhile({ ...app, kernels: [other] }).done;
    expect(openApp(workspace.app).config.kernels.map(({ name }) => name)).toEqual(['other', 'mine']);
  });

  it('are refused if another command declares another program there meanwhile', async () => {
    const { done } = declareWhile({ name: 'else', command: ['./else'], kernels: [other] });
    expect((await failure(done)).code).toBe('APP_CONFLICT');
    expect(workspace.read('app/kernloop.json')).not.toContain('mine');
  });
});
