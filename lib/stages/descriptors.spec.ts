import { partsOf } from '../stage/either';
import type { Stage } from '../stage/stage';
import { otherTasks } from '../stage/task';
import { outputsOf } from '../stage/writes';
import { optionInfos } from '../support/options';
import { stageNames, stages } from './registry';

const device = ['device', 'gpu', 'softgpu'];

/** Options that name no file: an option missing here and in `paths` was forgotten. */
const noPaths: Readonly<Record<string, readonly string[]>> = {
  'watch-build': ['command'],
  init: ['command', 'kernel', 'device', 'name', 'compileCommands'],
  profile: [...device, 'command'],
  // `from` is text for people: written into kernloop.json as it is typed.
  declare: ['name', 'match', 'dispatch', 'each', 'after', 'scope', 'from'],
  capture: [...device, 'kernel', 'match', 'dispatch', 'each', 'after', 'scope', 'untrackedMemory'],
  // Paths relative to the app, not to the workspace.
  generate: ['kernel', 'translationUnit', 'define', 'language'],
  extract: [...device, 'command', 'kernel', 'translationUnit', 'define', 'language', 'untrackedMemory'],
  // Relative to the reproducer, like `capture`.
  replay: [
    'variant',
    'capture',
    ...device,
    'launch',
    'cache',
    'block',
    'grid',
    'arg',
    'hotSpotsBy',
    'dumpTime',
    'dumpOnly',
  ],
  validate: ['variant', 'capture', ...device, 'launch', 'nan', 'inf', 'dtype', 'record', 'inputsKeep', 'inputsRecord'],
  tune: [
    ...['capture', ...device, 'launch', 'nan', 'inf', 'dtype', 'record', 'inputsKeep', 'inputsRecord'],
    ...['set', 'constraint', 'grid', 'block', 'dynamicShared', 'argument', 'search'],
  ],
  judge: ['kernel', 'capture', ...device, 'launch', 'nan', 'inf', 'dtype', 'record', 'inputsKeep', 'inputsRecord'],
  // A key, or a file with it.
  'verify-report': [
    'publicKey',
    'capture',
    'device',
    'softgpu',
    'launch',
    'nan',
    'inf',
    'dtype',
    'record',
    'inputsKeep',
    'inputsRecord',
  ],
  'export-task': ['format', 'gpu'],
  'pgo-show': ['spills'],
  'pgo-instrument': ['sample', 'uniform'],
  'pgo-generate': ['capture', ...device, 'launch'],
  'pgo-use': ['capture', ...device, 'launch'],
  'pgo-instrument --app': ['linkArgument', 'sample', 'uniform'],
  'pgo-generate --app': device,
  'pgo-build --app': ['gate', 'linkArgument'],
  'pgo-use --app': device,
  'pgo-runtime': [...device, 'phase', 'gate'],
  store: ['action'],
  push: ['remote'],
  // A folder or a reference.
  pull: ['source', 'remote'],
  'trace-run': ['variant', 'capture', ...device, 'launch', 'probe', 'allowCallback'],
  'trace-read': ['dialect', 'offsets'],
  'trace-gen': ['language'],
  'trace-export': ['dialect', 'offsets', 'format'],
  report: [],
  'trace-analyze': ['dialect', 'offsets', 'map', 'analysis', 'field'],
};

/** Stages by name, with one descriptor for each kind of project. */
const all = stageNames.flatMap((name) =>
  partsOf(stages[name]).map((part, index): [string, Stage] => [index === 0 ? name : `${name} --app`, part]),
);

describe.each(all)('the descriptor of %s', (key, stage) => {
  const infos = optionInfos(stage.options);

  it('has the name under which it is registered, and says what it does', () => {
    expect(stage.name).toBe(key.replace(/ --app$/, ''));
    expect(stage.summary).toMatch(/^[A-Z].{10,}\.$/);
    expect(Object.keys(stage.exitCodes)).toContain('pass');
  });

  it('says of every option that takes text whether it names a file or folder', () => {
    const text = infos.filter(({ type }) => type === 'string' || type === 'array').map(({ name }) => name);
    expect(text.filter((name) => !stage.paths.includes(name)).sort()).toEqual([...(noPaths[key] ?? [])].sort());
    for (const name of stage.paths) expect(text).toContain(name);
  });

  it('names options that there are', () => {
    const known = infos.map(({ name }) => name);
    const { task, positional, trailing, project } = stage;
    const named = [
      ...[positional, trailing].filter((name) => name !== undefined),
      ...(project === 'none' ? [] : [project]),
      ...(task?.without ?? []),
      ...Object.keys({ ...task?.refused, ...task?.fixed, ...task?.example }),
    ];
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
    if (task?.targets.some(({ of }) => of === 'kernel')) expect(known).toContain('kernel');
  });

  it('comes after tasks that there are, and caches nothing without saying what decides it', () => {
    const { task, project } = stage;
    if (!task) return expect(['none', 'app', 'reproducer']).toContain(project);
    expect(project).not.toBe('none');
    for (const before of task.after) {
      if (typeof before === 'string') expect(otherTasks).toContain(before);
      else expect(all.find(([name]) => name === before.stage)?.[1].task).toBeDefined();
    }
    if (task.cache) expect([task.inputs.length, outputsOf(stage.writes ?? []).length]).not.toContain(0);
    else expect(task.inputs).toEqual([]);
  });

  it('writes below a project, and each result that the report shows is in a file or folder that it writes', () => {
    for (const { path, results = [] } of stage.writes ?? []) {
      expect(path).toMatch(/^\{(app|reproducer)\}\/./);
      const [top = ''] = path.replace('{reproducer}/', '').split('/');
      for (const pattern of results) expect(pattern.split('/')[0]).toBe(top);
    }
  });
});
