import { verdictSummary } from './verdict-summary';

const pass = 'saxpy: variant build/variant.hsaco\nResult: PASS (4,096 bytes compared)\n';
const task = (project: string, terminalOutput: string | undefined, target = 'validate') => ({
  task: { id: `${project}:${target}`, target: { project, target } },
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

  it.each([
    [['affected', '-t', 'validate', '--output-style=static-failures-only']],
    [['run-many', '-t', 'validate', '--outputStyle', 'summary']],
  ])('are printed where Nx hides the output: %j', (words) => {
    expect(summary(results(task('a', pass)), ...words)).toHaveLength(2);
  });

  it.each<[string, ReturnType<typeof results>]>([
    ['no validate task ran', results(task('a', pass, 'recompile'))],
    ['the target is of somebody else', results(task('a', 'validated 3 schemas\n'))],
    ['the task ended in an error, which Nx shows', results(task('a', 'error: VARIANT_STALE\n'))],
    ['the task was skipped', results(task('a', undefined))],
  ])('are nothing where %s', (_name, given) => {
    expect(summary(given, 'run-many', '-t', 'validate')).toEqual([]);
  });

  it.each([
    [['run', 'a:validate']],
    [['affected', '-t', 'validate', '--verbose']],
    [['run-many', '-t', 'validate', '--output-style=stream']],
    [['run-many', '-t', 'validate', '--outputStyle', 'static']],
  ])('are nothing where Nx shows the output: %j', (words) => {
    expect(summary(results(task('a', pass)), ...words)).toEqual([]);
  });
});
