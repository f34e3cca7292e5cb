import { thrown } from '../testing/failure';
import { TestWorkspace, writeReproducer } from '../testing/workspace';
import { partsOf } from '../stage/either';
import type { Stage } from '../stage/stage';
import { optionInfos } from '../support/options';
import { stages } from './registry';
import { forSubject, subjectAt } from './subject';

const either = Object.values<Stage>(stages).filter(({ project }) => project === 'either');

describe('the subject of a stage that works on a reproducer or an app', () => {
  let workspace: TestWorkspace;
  let reproducer: string;
  beforeEach(() => {
    workspace = new TestWorkspace();
    reproducer = writeReproducer(workspace);
  });
  afterEach(() => workspace.dispose());
  const chosen = (flags: object, env = {}): string =>
    forSubject(stages['pgo-use'], flags as Record<string, unknown>, env).project;

  it('is the project around a folder: the nearest', () => {
    expect(subjectAt(reproducer)).toBe('reproducer');
    workspace.write('app/build/deep/notes.txt', '');
    expect([workspace.app, workspace.path('app/build/deep')].map(subjectAt)).toEqual(['app', 'app']);
    workspace.write('kernloop.json', {});
    expect([subjectAt(reproducer), subjectAt(workspace.root)]).toEqual(['reproducer', 'app']);
  });

  it('is a reproducer where a folder has both files, and where there is no project', () => {
    workspace.write('app/kernel.json', {});
    expect([workspace.app, workspace.root].map(subjectAt)).toEqual(['reproducer', 'reproducer']);
  });

  it('is a reproducer where those of an app are, and where nothing is: the error names the near ones', () => {
    workspace.write('kernloop.json', {});
    const places = ['kernels', 'kernels/app', 'saxpy', 'app/saxpy'].map((at) => workspace.path(at));
    expect(places.map(subjectAt)).toEqual(places.map(() => 'reproducer'));
  });

  it.each([
    ['a flag', { app: 'x' }, {}, 'app'],
    ['a flag', { reproducer: 'x' }, {}, 'reproducer'],
    ['a variable', {}, { KERNLOOP_PGO_USE_APP: 'x' }, 'app'],
    ['a flag before a variable', { reproducer: 'x' }, { KERNLOOP_PGO_USE_APP: 'x' }, 'reproducer'],
  ])('is named by %s: %j %j', (_name, flags, env, project) => {
    expect(chosen(flags, env)).toBe(project);
  });

  it('is that of the working folder if none is named', () => {
    const before = process.cwd();
    const found = [reproducer, workspace.app].map((at) => {
      process.chdir(at);
      return chosen({});
    });
    process.chdir(before);
    expect(found).toEqual(['reproducer', 'app']);
  });

  it('is one alone', () => {
    const error = thrown(() => chosen({ app: 'x', reproducer: 'y' }));
    expect([error.code, error.what]).toEqual(['USAGE', expect.stringContaining('flag --reproducer, flag --app')]);
  });

  /** Options by the subject that alone has them. */
  const lone = either.flatMap((stage) => {
    const { reproducer: kernel, app } = stage.subjects as NonNullable<Stage['subjects']>;
    const of = (own: Stage, other: Stage): [string, string, string][] =>
      Object.keys(own.options.shape)
        .filter((name) => !(name in other.options.shape) && name !== own.project)
        .map((name) => [stage.name, name, other.project]);
    return [...of(kernel, app), ...of(app, kernel)];
  });

  it('decides which options there are', () => {
    expect(lone.map((row) => row.join(' ')).sort()).toEqual([
      ...['pgo-build gate reproducer', 'pgo-build linkArgument reproducer', 'pgo-generate capture app'],
      ...['pgo-generate launch app', 'pgo-generate limitFactor app', 'pgo-generate limitSeconds app'],
      ...['pgo-generate store app', 'pgo-generate timeLimitSeconds reproducer'],
      ...['pgo-instrument linkArgument reproducer', 'pgo-use capture app', 'pgo-use iterations app'],
      ...['pgo-use launch app', 'pgo-use limitFactor app', 'pgo-use limitSeconds app', 'pgo-use rounds reproducer'],
      ...['pgo-use store app', 'pgo-use timeLimitSeconds reproducer'],
    ]);
  });

  it.each(lone)('%s refuses %s of the other subject, and says which it needs: not %s', (name, option, subject) => {
    const stage = stages[name as keyof typeof stages] as Stage;
    const error = thrown(() => forSubject(stage, { [subject]: 'x', [option]: 1 }, {}));
    expect([error.code, error.what]).toEqual(['USAGE', expect.stringMatching(new RegExp(`^flag --.*: ${name} has `))]);
    expect(error.hint).toContain(subject === 'app' ? 'name a reproducer with --reproducer' : 'name an app with --app');
  });

  it('refuses a variable of the other subject by its name, but not one that describes the machine', () => {
    const error = thrown(() => chosen({ reproducer: 'x' }, { KERNLOOP_PGO_USE_ROUNDS: '3' }));
    expect(error.what).toMatch(/^KERNLOOP_PGO_USE_ROUNDS: .* for an app only/);
    expect(chosen({ app: 'x' }, { KERNLOOP_STORE: '/store' })).toBe('app');
    expect(() => chosen({ app: 'x', store: '/store' })).toThrow('flag --store');
  });

  it.each(either.map((stage) => [stage.name, stage] as const))(
    '%s shows an option of both as either has it, unless it is described for both',
    (_name, stage) => {
      const [kernel, app] = partsOf(stage).map((part) => optionInfos(part.options));
      for (const info of optionInfos(stage.options)) {
        const own = [kernel, app].flatMap((all) => all?.filter(({ name }) => name === info.name) ?? []);
        if (own.length === 2 && !info.description.includes('for an app,')) expect(own).toEqual([info, info]);
        if (own.length === 1) expect(info.description).toContain(own[0]?.description);
      }
    },
  );
});
