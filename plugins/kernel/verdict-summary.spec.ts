import { verdictSummary } from './verdict-summary';

const pass = 'saxpy: variant build/variant.hsaco\nResult: PASS (4,096 bytes compared)\n';
const task = (project: string, terminalOutput: string | undefined, target = 'validate', status = 'success') => ({
  task: { id: `${project}:${target}`, target: { project, target } },
  status,
  terminalOutput,
});
const results = (...tasks: ReturnType<typeof task>[]) => Object.fromEntries(tasks.map((each) => [each.task.id, each]));
const summary = (given: ReturnType<typeof results>, ...words: string[]) =>
  verdictSummary(given, ['/usr/bin/node', '/w/nx', ...words]);

describe('the verdicts of a command of Nx', () => {
  it('are a line for each kernel, by name, with its warnings once', () => {
    const warned = `warning: checked on another device\nwarning: checked on another device\n\u001b[1mResult: FAIL (4 bytes differ)\u001b[0m\n`;
    const given = results(task('app-b', warned), task('app-a', pass), task('app-a', 'built', 'recompile'));
    expect(summary(given, 'affected', '-t', 'validate')).toEqual([
      'Kernloop: 2 verdicts',
      '  app-a: PASS (4,096 bytes compared)',
      '  app-b: FAIL (4 bytes differ)',
      '    warning: checked on another device',
    ]);
  });

  it('are the last of a task that prints several', () => {
    const several = 'Result: none yet\n' + pass;
    expect(summary(results(task('a', several)), 'run-many')).toEqual([
      'Kernloop: 1 verdict',
      '  a: PASS (4,096 bytes compared)',
    ]);
  });

  const stale =
    'Compiled\n\u001b[31merror: the variant is not what was built [VARIANT_STALE]\u001b[39m\n  → build it\n';
  const broken =
    'v.hip:3:1: error: expected ;\nerror: v.hip did not compile: v.hip:3:1: error: expected ; [COMPILE_FAILED]\n';

  it('have a line for a kernel that got none, with its error, also if Nx skipped the task after its compile', () => {
    const given = results(
      task('app-c', pass),
      task('app-c', 'warning: error: [OLD]\n', 'recompile'),
      task('app-b', stale, 'validate', 'failure'),
      task('app-a', broken, 'recompile', 'failure'),
    );
    expect(summary(given, 'affected', '--targets=recompile,validate')).toEqual([
      'Kernloop: 1 verdict',
      '  app-a: no verdict: v.hip did not compile: v.hip:3:1: error: expected ; [COMPILE_FAILED]',
      '  app-b: no verdict: the variant is not what was built [VARIANT_STALE]',
      '  app-c: PASS (4,096 bytes compared)',
    ]);
  });

  it('are not awaited by a command that only compiles', () => {
    expect(summary(results(task('a', broken, 'recompile', 'failure')), 'run-many', '-t', 'recompile')).toEqual([]);
  });

  it.each([
    [['affected', '-t', 'validate', '--output-style=static-failures-only']],
    [['run-many', '-t', 'validate', '--outputStyle', 'summary']],
  ])('are printed where Nx hides the output: %j', (words) => {
    expect(summary(results(task('a', pass)), ...words)).toHaveLength(2);
  });

  it.each<[string, ReturnType<typeof results>]>([
    ['no validate task ran', results(task('a', pass, 'recompile'))],
    ['the target is of somebody else', results(task('a', 'validated 3 schemas\n'))],
    ['a target of somebody else failed', results(task('a', 'error: no schema\n', 'validate', 'failure'))],
    ['the task was skipped', results(task('a', undefined))],
  ])('are nothing where %s', (_name, given) => {
    expect(summary(given, 'run-many', '-t', 'validate')).toEqual([]);
  });

  it.each([
    [['run', 'a:validate']],
    [['run', 'affected']],
    [['run', 'a:validate', '--name', 'run-many']],
    [['affected', '-t', 'validate', '--verbose']],
    [['run-many', '-t', 'validate', '--output-style=stream']],
    [['run-many', '-t', 'validate', '--outputStyle', 'static']],
  ])('are nothing where Nx shows the output: %j', (words) => {
    expect(summary(results(task('a', pass)), ...words)).toEqual([]);
  });
});
