import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openApp } from '../app/app';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { fakeLock, fakeRecorder } from '../testing/fake-programs';
import { TestWorkspace } from '../testing/workspace';
import { declareCommand } from './declare-command';
import { extractOptionsSchema } from './options';

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
