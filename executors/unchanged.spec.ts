import { readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openApp } from '../lib/app/app';
import { programFiles } from '../lib/app/program-files';
import { partsOf } from '../lib/stage/either';
import type { Stage } from '../lib/stage/stage';
import { stages, type StageName } from '../lib/stages/registry';
import { stageTasks, type StageTask } from '../lib/stages/stage-tasks';
import { fakeDeps } from '../lib/testing/fake-deps';
import { failure, thrown } from '../lib/testing/failure';
import { HashedWorkspace, root } from '../plugins/kernel/testing/hashed-workspace';
import { beforeTasks } from '../plugins/kernel/plugin';
import { watchInputs } from './unchanged';

const cached = stageTasks.filter(({ cache }) => cache);
/** A stage, and its subject if it has several. */
type Asked = StageName | `${StageName} --app`;
const asked = ({ name, project }: StageTask): Asked =>
  project === 'app' && stages[name as StageName].project === 'either'
    ? `${name as StageName} --app`
    : (name as StageName);
const stageOf = (name: Asked): Stage => {
  const parts = partsOf(stages[name.replace(' --app', '') as StageName]);
  return parts.find(({ project }) => name.endsWith(' --app') === (project === 'app')) ?? (parts[0] as Stage);
};
const names = cached.map(asked);

/**
 * Changes between the hash of a task and its start, or while it runs: Nx would cache the result under the hash of the
 * earlier state.
 */
describe('the inputs of a cached task', () => {
  let workspace: HashedWorkspace;
  const environment = process.env;
  beforeAll(() => (workspace = new HashedWorkspace()));
  beforeEach(() => workspace.restore());
  afterEach(() => (process.env = environment));
  afterAll(() => workspace.dispose());

  const files = [
    'app/kernloop.json',
    ...['app/saxpy', 'app/sum', 'gone/moved'].map((at) => `kernels/${at}/kernel.json`),
  ];
  /** Does what the plugin does before Nx hashes the tasks; returns the variables of the tasks. */
  const begin = (): Record<string, string | undefined> => {
    process.env = { ...workspace.env };
    beforeTasks(files, workspace.root, workspace.argv);
    return { ...process.env };
  };
  const runProgram = async (): Promise<void> => {
    const deps = fakeDeps({ ldd: () => 1 }, workspace.native, { env: workspace.env });
    workspace.write('app/.kernloop/program.json', await programFiles(openApp(workspace.app), deps));
  };
  const start = (name: Asked, env: Record<string, string | undefined>): Promise<() => void> => {
    const stage = stageOf(name);
    const kernel = name === 'capture' ? { kernel: ['saxpy'] } : name === 'generate' ? { kernel: 'saxpy' } : {};
    const values = stage.project === 'app' ? { app: workspace.app, ...kernel } : { reproducer: workspace.path(root) };
    const deps = fakeDeps({ ldd: () => 1 }, workspace.native, { env });
    return watchInputs(stage, values, { root: workspace.root }, deps);
  };
  const edit = (path: string) => (): unknown => workspace.disguise(path);

  it.each(names)('may be what they were: %s', async (name) => {
    await runProgram();
    const env = begin();
    const requireUnchanged = await start(name, env);
    expect(requireUnchanged).not.toThrow();
    // The same command again, in another terminal.
    begin();
    expect(requireUnchanged).not.toThrow();
  });

  /** Changes by the name of the input in descriptors. */
  const changes: Readonly<Record<string, readonly (readonly [name: string, change: () => unknown])[]>> = {
    app: [['kernloop.json', () => workspace.edit('app/kernloop.json', (json) => ({ ...json, env: { A: '1' } }))]],
    selection: [
      [
        'which dispatch is selected',
        () =>
          workspace.edit('app/kernloop.json', (json) => ({
            ...json,
            kernels: ['saxpy', 'sum'].map((name) => ({ name, match: name, ordinal: 2 })),
          })),
      ],
    ],
    program: [['the program', edit('app/build/probe')]],
    compiled: [
      ['the source', edit(`${root}/kernel_variant.hip`)],
      ['a header outside of the workspace', () => workspace.disguise(join(workspace.outside, 'far.h'))],
    ],
    codeObjects: [
      [
        'kernel.json',
        () => workspace.disguise(`${root}/kernel.json`, (text) => text.replace('"line": 1', '"line": 2')),
      ],
      ['a code object that appears', () => workspace.write(`${root}/build/candidate.hsaco`, 'another')],
      [
        'options of the app',
        () => workspace.edit('app/kernloop.json', (json) => ({ ...json, options: { validate: { replays: 3 } } })),
      ],
    ],
    toolchain: [['the compiler', edit('bin/hipcc')]],
    llvm: [['LLVM', edit('llvm/bin/ld.lld')]],
  };
  const ofStages = cached.flatMap((task) =>
    task.inputs.flatMap((input) =>
      (typeof input === 'string' ? (changes[input] ?? []) : []).map(
        ([what, change]) => [asked(task), what, change] as const,
      ),
    ),
  );

  it.each(ofStages)(
    'are compared with what was hashed, at the start and at the end: %s, %s',
    async (name, what, change) => {
      await runProgram();
      const env = begin();
      const requireUnchanged = await start(name, env);
      change();
      // A command may build its own program.
      if (what !== 'the program') expect(thrown(requireUnchanged)).toMatchObject({ code: 'INPUT_CHANGED' });
      expect(await failure(start(name, env))).toMatchObject({ code: 'INPUT_CHANGED' });
    },
  );

  /** Outputs of other tasks: Nx hashes them after these have ended. */
  const outputs: readonly (readonly [path: string, stages: readonly Asked[]])[] = [
    [`${root}/capture/capture.json`, ['generate', 'validate', 'trace-run', 'pgo-generate', 'report']],
    [`${root}/captures/1/capture.json`, ['validate', 'trace-run', 'pgo-generate', 'report']],
    [`${root}/capture/selfcheck.json`, ['validate', 'trace-run', 'pgo-generate']],
    [`${root}/build/variant.hsaco`, ['validate', 'trace-run', 'recompile']],
    [`${root}/pgo/instrumented/code`, ['pgo-generate']],
    [`${root}/pgo/raw/profraw`, ['pgo-merge']],
    [`${root}/pgo/merged.profdata`, ['pgo-build']],
    [`${root}/report.json`, ['report']],
    ['app/.kernloop/compile-commands.json', ['generate', 'pgo-instrument --app', 'pgo-build --app']],
    ['app/.kernloop/pgo/instrumented/code', ['pgo-generate --app']],
    ['app/.kernloop/pgo/raw/profraw', ['pgo-merge --app']],
    ['app/.kernloop/pgo/merged.profdata', ['pgo-build --app']],
  ];
  it.each(outputs.flatMap(([path, stagesOf]) => stagesOf.map((name) => [name, path] as const)))(
    'stay what they were while it runs: %s, %s',
    async (name, path) => {
      await runProgram();
      const requireUnchanged = await start(name, begin());
      workspace.write(path, `${readFileSync(workspace.path(path), 'utf8')} `);
      expect(thrown(requireUnchanged)).toMatchObject({ code: 'INPUT_CHANGED' });
    },
  );

  it('are named where they changed: the bad code object was hashed, and the good one lies there', async () => {
    const candidate = `${root}/build/candidate.hsaco`;
    workspace.write(candidate, 'bad');
    const env = begin();
    workspace.write(candidate, 'good');
    const error = await failure(start('validate', env));
    expect(error.what).toContain('build/candidate.hsaco was changed after Nx had hashed it');
    // Reverts the change before the task checks again.
    workspace.write(candidate, 'bad');
    expect(await start('validate', env)).not.toThrow();
  });

  it('may have been compiled meanwhile, also for the first time', async () => {
    const built = workspace.path(root, 'build');
    renameSync(built, `${built}-later`);
    const requireUnchanged = await start('recompile', begin());
    renameSync(`${built}-later`, built);
    expect(requireUnchanged).not.toThrow();
  });

  it('are not compared where they were not known: no cache has an answer for that', async () => {
    workspace.write(`${root}/kernel_variant.hip`, 'an edit that was never compiled');
    const requireUnchanged = await start('recompile', begin());
    workspace.write(`${root}/kernel_variant.hip`, 'another');
    expect(requireUnchanged).not.toThrow();
  });

  it('are those of this command: a later one that found another content is no witness', async () => {
    const candidate = workspace.write(`${root}/build/candidate.hsaco`, 'bad');
    const env = begin();
    const requireUnchanged = await start('validate', env);
    workspace.write(candidate, 'good');
    const later = begin();
    expect(await failure(start('validate', env))).toMatchObject({ code: 'COMMAND_OVERTAKEN' });
    expect(thrown(requireUnchanged)).toMatchObject({ code: 'COMMAND_OVERTAKEN' });
    expect(await start('validate', later)).not.toThrow();
    rmSync(candidate);
  });

  it("are nobody's concern without the plugin, and of what is not cached", async () => {
    const env = begin();
    workspace.write(`${root}/build/candidate.hsaco`, 'another');
    expect(await start('validate', { ...env, KERNLOOP_COMMAND_INPUTS: undefined })).not.toThrow();
    expect(await start('replay', env)).not.toThrow();
  });
});
