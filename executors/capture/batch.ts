import type { TaskGraph } from '@nx/devkit';
import { openApp } from '../../lib/app/app';
import { captureSelections, type CaptureOutcome } from '../../lib/capture/capture';
import { keptSelections } from '../../lib/capture/kept-selections';
import { captureOptionsSchema, type CaptureOptions } from '../../lib/capture/options';
import { selectionsOf, type Selection } from '../../lib/capture/selection';
import { stages } from '../../lib/stages/registry';
import { runCaptures } from '../../lib/stages/run';
import { defaultDeps, type Deps } from '../../lib/deps/deps';
import { asKernloopError, errorText, isBug, KernloopError } from '../../lib/support/error';
import { asTyped } from '../../lib/support/typed-command';
import { configureTask, type TaskOptions } from '../run-stage';
import type { TaskContext } from '../tracked';
import { watchInputs } from '../unchanged';

export interface TaskResult {
  task: string;
  result: { success: boolean; terminalOutput: string };
}

/** Capture tasks of the same app that one run can serve. */
interface Group {
  options: CaptureOptions;
  tasks: Map<string, CaptureTask>;
}

interface CaptureTask {
  selections: Selection[];
  requireUnchanged: () => void;
}

/** Runs captures of one app that are due together in one run of it; each remains a task with its own cache entry. */
export default async function* captureBatch(
  taskGraph: Pick<TaskGraph, 'tasks'>,
  inputs: Readonly<Record<string, TaskOptions>>,
  overrides: TaskOptions,
  context: TaskContext,
  deps: Deps = defaultDeps(),
): AsyncGenerator<TaskResult> {
  const groups: Group[] = [];
  for (const [task, { target }] of Object.entries(taskGraph.tasks)) {
    try {
      const own = { ...context, projectName: target.project, targetName: target.target };
      const values = configureTask(stages.capture, { ...inputs[task], ...overrides }, own, deps);
      const options = captureOptionsSchema.parse(values);
      const requireUnchanged = await watchInputs(stages.capture, values, own, deps);
      const app = openApp(options.app);
      const selections = selectionsOf(app, options, deps.report);
      const kept = keptSelections(app, selections);
      if (kept.length === 0) addTo(groups, task, options, { selections, requireUnchanged });
      else {
        const lines = kept.map(({ text }) => `${text}\n`);
        yield unlessChanged(task, requireUnchanged, lines.join(''), deps);
      }
    } catch (error) {
      yield failed(task, error, deps);
    }
  }
  for (const group of groups) yield* runGroup(group, deps);
}

/** Options in which tasks of one run may differ: dispatches, amount of memory, and target folder. */
const ownOptions = [
  'kernel',
  'match',
  'wholeName',
  'ordinal',
  'dispatch',
  'each',
  'limit',
  'after',
  'afterCount',
  'scope',
  'maxBytes',
  'output',
] as const satisfies readonly (keyof CaptureOptions)[];

/** Maximum number of selections that an agent accepts. */
const mostSelections = 64;

function addTo(groups: Group[], task: string, options: CaptureOptions, own: CaptureTask): void {
  const key = sharedKey(options);
  const group = groups.find((known) => sharedKey(known.options) === key && fits(known, own.selections));
  if (group) group.tasks.set(task, own);
  else groups.push({ options, tasks: new Map([[task, own]]) });
}

function sharedKey(options: CaptureOptions): string {
  const own: readonly string[] = ownOptions;
  const shared = Object.entries(options).filter(([name]) => !own.includes(name));
  return JSON.stringify(shared.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Two captures of one kernel, or into one folder, cannot share a run. */
function fits({ tasks }: Group, selections: readonly Selection[]): boolean {
  const taken = [...tasks.values()].flatMap(({ selections: other }) => other);
  const free = selections.every(
    ({ name, output }) => !taken.some((other) => other.name === name || other.output === output),
  );
  return free && taken.length + selections.length <= mostSelections;
}

async function* runGroup({ options, tasks }: Group, deps: Deps): AsyncGenerator<TaskResult> {
  let result: CaptureOutcome;
  try {
    const selections = [...tasks.values()].flatMap(({ selections: own }) => own);
    result = await runCaptures(options, selections, deps, () => captureSelections(options, selections, deps));
  } catch (error) {
    for (const task of tasks.keys()) yield failed(task, error, deps);
    return;
  }
  for (const [task, { selections, requireUnchanged }] of tasks) {
    const own = ({ name }: { name: string }): boolean => selections.some((selection) => selection.name === name);
    const failures = result.failures.filter(own);
    if (failures.length > 0) yield failed(task, everyFailure(failures.map(({ error }) => error)), deps);
    else yield unlessChanged(task, requireUnchanged, describe(result.captures.filter(own)), deps);
  }
}

function unlessChanged(task: string, requireUnchanged: () => void, terminalOutput: string, deps: Deps): TaskResult {
  try {
    requireUnchanged();
    return { task, result: { success: true, terminalOutput } };
  } catch (error) {
    return failed(task, error, deps);
  }
}

function everyFailure(errors: readonly KernloopError[]): unknown {
  const [first, ...others] = errors;
  if (first === undefined || others.length === 0) return first;
  return new KernloopError(
    first.code,
    [first.what, ...others.map(({ what }) => `also: ${what}`)].join('\n'),
    first.hint,
  );
}

function describe(captures: CaptureOutcome['captures']): string {
  return captures
    .map(
      ({ name, ordinal, regions, output, selfcheck }) =>
        `${name}: dispatch ${ordinal}, ${regions} regions in ${output}; self-check: ${selfcheck?.verdict ?? 'off'}\n`,
    )
    .join('');
}

function failed(task: string, error: unknown, deps: Deps): TaskResult {
  const known = asKernloopError(error);
  const text = isBug(error)
    ? `internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`
    : asTyped(errorText(known));
  deps.report.output(text);
  return { task, result: { success: false, terminalOutput: text } };
}
