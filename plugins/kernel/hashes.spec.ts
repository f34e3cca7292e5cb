import { lutimesSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { openApp } from '../../lib/app/app';
import { programFiles } from '../../lib/app/program-files';
import type { TaskInput } from '../../lib/stage/task';
import { stageTasks, type StageTask } from '../../lib/stages/stage-tasks';
import { environmentName, formerName } from '../../lib/support/option-variables';
import { fakeDeps } from '../../lib/testing/fake-deps';
import { HashedWorkspace, root } from './testing/hashed-workspace';
import type { TaskHashes } from './testing/nx-hashes';

/** Groups of stages with common inputs. */
const compile = ['recompile', 'pgo-instrument', 'pgo-build'];
const judge = ['validate', 'trace-run'];
const replay = [...judge, 'pgo-generate'];
const ofReproducers = [...compile, ...replay, 'pgo-merge', 'report'];
const runApp = ['profile', 'capture'];
const runCommand = [...runApp, 'pgo-generate --app'];
const ofApps = [
  ...[...runApp, 'generate'],
  ...['pgo-instrument --app', 'pgo-generate --app', 'pgo-merge --app', 'pgo-build --app'],
];
const onDevice = [...runApp, 'pgo-generate --app', ...replay];

type Step = () => unknown;
/**
 * A change that alters the hashes of these stages' tasks and no others; in all projects, or in those whose name starts
 * with `of`.
 */
type Case = readonly [name: string, change: Step, stages: readonly string[], of?: string, given?: Step];

/**
 * A task does not run if its hash equals an earlier one. Nx sees no change behind a link, outside the workspace, or in
 * a file of the same size and time (`disguise`): if such a change decides a result, the plugin has to see it.
 */
describe('the hash of a task', () => {
  let workspace: HashedWorkspace;
  let atFirst: TaskHashes;
  const environment = process.env;
  beforeAll(async () => {
    workspace = new HashedWorkspace();
    atFirst = await workspace.hashes();
  });
  beforeEach(() => workspace.restore());
  afterEach(() => {
    process.env = environment;
    jest.restoreAllMocks();
  });
  afterAll(() => workspace.dispose());

  const outside = (name: string): string => join(workspace.outside, name);
  const write = (path: string): string => workspace.write(path, 'another');
  const disguise = (path: string): void => workspace.disguise(path);
  const declare = (json: object): void => workspace.edit('app/kernloop.json', (before) => ({ ...before, ...json }));
  const configure = (options: object): void =>
    workspace.edit(`${root}/kernel.json`, (json) => ({ ...json, options: { validate: options } }));
  const say = (...words: string[]): unknown => (workspace.argv = words);
  const set = (variables: Record<string, string>): unknown => (workspace.env = { ...workspace.env, ...variables });
  /** Replaces a file by a link into a folder that git ignores. */
  const hide = (path: string): void => {
    mkdirSync(workspace.path('private'));
    renameSync(workspace.path(path), workspace.path('private/hidden'));
    symlinkSync(workspace.path('private/hidden'), workspace.path(path));
    lutimesSync(workspace.path(path), 1, 1);
  };
  /** Does what the target `program` does: records the files that the app's command runs. */
  const runProgram = async (): Promise<void> => {
    const deps = fakeDeps({ ldd: () => 1 }, workspace.native, { env: workspace.env });
    workspace.write('app/.kernloop/program.json', await programFiles(openApp(workspace.app), deps));
  };
  const program = (change: Step): Step => {
    return async () => {
      change();
      await runProgram();
    };
  };
  const usingPackages = program(() => {
    write(outside('site/flavour.py'));
    declare({ env: { PYTHONPATH: outside('site') } });
  });
  const saxpy = { name: 'saxpy', match: 'saxpy', ordinal: 2 };
  const sum = { name: 'sum', match: 'sum' };

  /** Cases by the name of the input in descriptors. */
  const cases: Readonly<Record<string, readonly Case[]>> = {
    app: [
      ['a file of the app', () => write('app/run.py'), ofApps, 'app:'],
      ['what kernloop.json says of no kernel', () => declare({ env: { A: '1' } }), ofApps, 'app:'],
      ['what the app reads from stdin, which git ignores', () => write('app/input.inc'), ofApps, 'app:'],
      ['the program that its build left', () => write('app/build/probe'), runApp],
      ['a library that its build left', () => write('app/build/libapp.so'), runApp],
    ],
    program: [
      ['a package of its Python', program(() => disguise(outside('site/flavour.py'))), runCommand, '', usingPackages],
      ['a binary that git ignores', program(() => disguise('app/build/probe')), runCommand, '', runProgram],
      ['what it reads from stdin', program(() => disguise('app/input.inc')), runCommand, '', runProgram],
    ],
    selection: [
      ['what kernloop.json says of it', () => declare({ kernels: [saxpy, sum] }), ['capture', 'generate'], 'saxpy'],
    ],
    store: [['a lost chunk', () => rmSync(workspace.path(root, 'capture/chunks.pack')), ['capture'], 'saxpy']],
    KERNLOOP_NVRTC_RECORD: [['on', () => set({ KERNLOOP_NVRTC_RECORD: '1' }), ['capture']]],
    KERNLOOP_TRITON_RECORD: [['on', () => set({ KERNLOOP_TRITON_RECORD: '1' }), ['capture']]],
    pristine: [['a file of the user', () => write(`${root}/pristine/mine.inc`), ['generate'], 'saxpy']],
    compileCommands: [
      [
        'the compile database',
        () => write('app/.kernloop/compile-commands.json'),
        ['generate', 'pgo-instrument --app', 'pgo-build --app'],
      ],
    ],
    capture: [
      ['capture.json', () => write(`${root}/capture/capture.json`), ['generate', ...replay, 'report'], 'saxpy'],
      ['the self-check', () => write(`${root}/capture/selfcheck.json`), replay, 'saxpy'],
      ['one of several', () => write(`${root}/captures/1/capture.json`), [...replay, 'report'], 'saxpy'],
      [
        'of an app elsewhere',
        () => write('kernels/gone/moved/capture/capture.json'),
        [...replay, 'report'],
        'gone-moved',
      ],
    ],
    reproducer: [
      ['a file that no compiler read', () => write(`${root}/deps/saxpy.hip`), ofReproducers, 'app-saxpy'],
      ['a new file', () => write(`${root}/mine.h`), ofReproducers, 'app-saxpy'],
    ],
    compiled: [
      ['the source', () => disguise(`${root}/kernel_variant.hip`), compile, 'app-saxpy'],
      ['a header outside of the reproducer', () => disguise('outside.h'), compile],
      ['a header outside of the workspace', () => disguise(outside('far.h')), compile],
      ['a header of the system', () => disguise(outside('system.h')), compile],
      ['an ignored file below deps/', () => disguise(`${root}/deps/ignored.inc`), compile, 'app-saxpy'],
      [
        'what kernel_variant is a link to',
        () => disguise('private/hidden'),
        compile,
        'app-saxpy',
        () => hide(`${root}/kernel_variant.hip`),
      ],
      [
        'a header where it is not known what was built',
        () => disguise(outside('system.h')),
        compile,
        '',
        () => workspace.edit(`${root}/build/variant.json`, (json) => ({ ...json, outside: undefined })),
      ],
      [
        'a header of what was never built',
        () => disguise(outside('system.h')),
        compile,
        '',
        () => rmSync(workspace.path(root, 'build'), { recursive: true }),
      ],
    ],
    variant: [
      [
        'what recompile says of it',
        () => workspace.edit(`${root}/build/variant.json`, (json) => ({ ...json, symbol: 'another' })),
        judge,
        'app-saxpy',
      ],
      ['the code object', () => write(`${root}/build/variant.hsaco`), [...compile, ...judge], 'app-saxpy'],
    ],
    codeObjects: [
      ['one in build/', () => write(`${root}/build/optimized.hsaco`), judge, 'app-saxpy'],
      ['one beside kernel.json', () => disguise(`${root}/mine.co`), judge, 'app-saxpy', () => write(`${root}/mine.co`)],
      [
        '--variant outside of the workspace',
        () => disguise(outside('mine.hsaco')),
        judge,
        '',
        () => say(`--variant=${write(outside('mine.hsaco'))}`),
      ],
      [
        'KERNLOOP_VALIDATE_VARIANT',
        () => disguise(outside('mine.hsaco')),
        judge,
        '',
        () => set({ KERNLOOP_VALIDATE_VARIANT: write(outside('mine.hsaco')) }),
      ],
      [
        'variant of kernel.json, which git ignores',
        () => disguise('private/mine.hsaco'),
        judge,
        'app-saxpy',
        () => configure({ variant: write('private/mine.hsaco') }),
      ],
      [
        'options of kernel.json',
        () => workspace.disguise(`${root}/kernel.json`, (text) => text.replace('"replays": 2', '"replays": 3')),
        judge,
        'app-saxpy',
        () => configure({ replays: 2 }),
      ],
      [
        'options that kernloop.json of the app has for all its kernels',
        () => declare({ options: { validate: { replays: 3 } } }),
        [...ofApps, ...judge],
        'app',
      ],
      [
        'what the capture is a link to',
        () => disguise('private/hidden/capture.json'),
        judge,
        'app-saxpy',
        () => hide(`${root}/capture`),
      ],
    ],
    results: [
      ...[
        ...['report.json', 'build/results/1.json', 'build/tune/tune.json'],
        ...['pgo/variants/base.report.json', 'trace/dmat/probe-run.json', 'capture/observed.json'],
      ].map((path): Case => [path, () => write(`${root}/${path}`), ['report'], 'app-saxpy']),
      ['pgo/merged.json', () => write(`${root}/pgo/merged.json`), ['pgo-build', 'report'], 'app-saxpy'],
      ['the profile of the app', () => write('app/.kernloop/profile.json'), ['report'], 'app-'],
    ],
    'pgo/instrumented/*': [['a file', () => write(`${root}/pgo/instrumented/code`), ['pgo-generate'], 'app-saxpy']],
    'pgo/raw/*': [['a file', () => write(`${root}/pgo/raw/profraw`), ['pgo-merge'], 'app-saxpy']],
    'pgo/merged.*': [['the profile', () => write(`${root}/pgo/merged.profdata`), ['pgo-build'], 'app-saxpy']],
    '.kernloop/pgo/instrumented/*': [
      ['a file', () => write('app/.kernloop/pgo/instrumented/code'), ['pgo-generate --app']],
    ],
    '.kernloop/pgo/raw/*': [['a file', () => write('app/.kernloop/pgo/raw/profraw'), ['pgo-merge --app']]],
    '.kernloop/pgo/merged.*': [['the profile', () => write('app/.kernloop/pgo/merged.profdata'), ['pgo-build --app']]],
    toolchain: [['the compiler', () => disguise('bin/hipcc'), ['generate', ...compile]]],
    llvm: [
      [
        'the profile merger',
        () => disguise('llvm/bin/llvm-profdata'),
        ['instrument', 'merge', 'build'].flatMap((step) => [`pgo-${step}`, `pgo-${step} --app`]),
      ],
    ],
    native: [
      ['a program', () => disguise(workspace.native.archive), [...onDevice, 'pgo-merge', 'pgo-merge --app']],
      [
        'a program that few stages use',
        () => disguise(workspace.native.pgo),
        ['generate', 'merge'].flatMap((step) => [`pgo-${step}`, `pgo-${step} --app`]),
      ],
    ],
    device: [
      ['the runtime of HIP', () => disguise('hip/libamdhip64.so'), onDevice],
      ['another one that is named', () => say('--device=cuda'), onDevice],
    ],
  };

  /** Tasks whose hash differs after the change, without a change before it. */
  const changedBy = async (change: Step, given?: Step): Promise<string[]> => {
    await given?.();
    const before = given === undefined ? atFirst : await workspace.hashes();
    expect(await workspace.hashes()).toEqual(before);
    await change();
    const after = await workspace.hashes();
    return Object.keys(before).filter((task) => before[task] !== after[task]);
  };
  /** A stage, and its subject if it has several. */
  const stageOf = (task: string): string => {
    const [project, target = ''] = task.split(':');
    const name = target.replace(/-(saxpy|sum)$/, '');
    return project === 'app' && isOfEither(name) ? `${name} --app` : name;
  };
  const isOfEither = (name: string): boolean => stageTasks.filter((one) => one.name === name).length > 1;
  const asked = ({ name, project }: StageTask): string =>
    project === 'app' && isOfEither(name) ? `${name} --app` : name;
  const tasksOf = (stages: readonly string[], of = ''): string[] =>
    Object.keys(atFirst).filter((task) => stages.includes(stageOf(task)) && task.includes(of));

  describe.each(Object.entries(cases))('depends on its input "%s":', (_kind, ofKind) => {
    it.each(ofKind.map((each) => [each[0], each] as const))('%s', async (_name, [, change, stages, of, given]) => {
      expect(tasksOf(stages, of)).not.toEqual([]);
      expect(await changedBy(change, given)).toEqual(tasksOf(stages, of));
    });
  });

  it('has a case above for every input that its stage declares', () => {
    const kindOf = (input: TaskInput): string =>
      typeof input === 'string' ? input : 'variable' in input ? input.variable : input.written;
    const without = stageTasks.flatMap((task) =>
      task.inputs
        .map(kindOf)
        .filter((kind) => !cases[kind]?.some(([, , stages]) => stages.includes(asked(task))))
        .map((kind) => `${asked(task)}: ${kind}`),
    );
    expect(without).toEqual([]);
    expect(new Set(Object.keys(atFirst).map(stageOf))).toEqual(
      new Set(stageTasks.filter(({ cache }) => cache).map(asked)),
    );
  });

  it('depends on every variable that sets an option of its stage, and on no other', async () => {
    const hashes = await workspace.command();
    const before = await hashes();
    const changedBySetting = async (name: string): Promise<string[]> => {
      const after = await hashes({ ...process.env, [name]: 'set' });
      return Object.keys(before).filter((task) => before[task] !== after[task]);
    };
    const cached = stageTasks.filter(({ cache }) => cache);
    for (const option of new Set(cached.flatMap(({ options }) => options))) {
      const having = cached.filter(({ options }) => options.includes(option));
      const name = environmentName(having[0]?.name ?? '', option);
      const alike = having.filter((other) => environmentName(other.name, option) === name);
      expect([name, await changedBySetting(name)]).toEqual([name, tasksOf(alike.map(asked))]);
    }
  });

  it('is another one in each command that has a variable under its former name, which the stage refuses', async () => {
    const former = formerName('inputsSeed') ?? '';
    const changed = await changedBy(() => set({ [former]: '2' }));
    expect([former, changed]).toEqual(['KERNLOOP_INPUTS_SEED', Object.keys(atFirst)]);
  });

  it('depends on the settings of the software GPU, whatever its stage', async () => {
    expect(await changedBy(() => set({ KERNLOOP_SOFTGPU_SEED: '2' }))).toEqual(Object.keys(atFirst));
  });

  it('is another one in each command where what it is of cannot be written', async () => {
    const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const changed = await changedBy(() => {
      rmSync(workspace.path('.kernloop'), { recursive: true });
      write('.kernloop');
    });
    expect(changed).toEqual(Object.keys(atFirst));
    expect(said).toHaveBeenCalledWith(expect.stringContaining('cannot be written'));
  });

  /** Files that stages and builds write, which are inputs only if named individually. */
  const written = [
    ...['build', 'capture', 'captures/1', 'pgo', 'trace/dmat'].map((folder) => `${root}/${folder}/notes.txt`),
    ...['app/build/notes.txt', 'app/.kernloop/notes.txt', `${root}/pushed.json`],
  ];

  it.each<[string, Step, Step?]>([
    [
      'times',
      () => {
        for (const path of [workspace.path('outside.h'), outside('far.h'), workspace.path(root, 'kernel_variant.hip')])
          utimesSync(path, 1, 1);
      },
    ],
    ['words for people', () => ['README.md', 'Makefile'].forEach((name) => write(`${root}/${name}`))],
    ['chunks of a capture, which capture.json names', () => write(`${root}/capture/chunks.pack`)],
    ['other files that are written', () => written.forEach(write)],
    ['them where git ignores nothing', () => written.forEach(write), () => workspace.write('.gitignore', '.nx\n')],
    ['other variables', () => set({ UNRELATED: '1', CPATH: '/mine', HIPCC_COMPILE_FLAGS_APPEND: '-DNEAR=9' })],
    ['other files of the workspace', () => write('notes.txt')],
  ])('does not depend on %s', async (_name, ...steps) => {
    expect(await changedBy(...steps)).toEqual([]);
  });
});
