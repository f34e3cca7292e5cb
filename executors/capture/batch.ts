import type { ExecutorContext, TaskGraph } from '@nx/devkit';
import { captureKernels, type CaptureOutcome } from '../../lib/capture/capture';
import { captureOptionsSchema, type CaptureOptions } from '../../lib/capture/options';
import { configure } from '../../lib/stages/configure';
import { stages } from '../../lib/stages/registry';
import { defaultDeps, type Deps } from '../../lib/support/deps';
import { KernloopError } from '../../lib/support/error';
import { absoluteOptions, type TaskOptions } from '../run-stage';

export interface TaskResult {
  task: string;
  result: { success: boolean; terminalOutput: string };
}

/** Capture tasks of the same app, which one run of it can serve. */
interface Group {
  options: CaptureOptions;
  tasks: Map<string, string>;
}

/** Captures of one app that are due together share one run of it; each stays a task of its own, with its own cache entry. */
export default async function* captureBatch(
  taskGraph: Pick<TaskGraph, 'tasks'>,
  inputs: Readonly<Record<string, TaskOptions>>,
  overrides: TaskOptions,
  context: Pick<ExecutorContext, 'root'>,
  deps: Deps = defaultDeps(),
): AsyncGenerator<TaskResult> {
  const groups = new Map<string, Group>();
  for (const task of Object.keys(taskGraph.tasks)) {
    try {
      const flags = absoluteOptions({ ...inputs[task], ...overrides }, context.root);
      addTo(groups, task, captureOptionsSchema.parse(configure(stages.capture, flags, deps.env).values));
    } catch (error) {
      yield failed(task, error, deps);
    }
  }
  for (const group of groups.values()) yield* runGroup(group, deps);
}

function addTo(groups: Map<string, Group>, task: string, options: CaptureOptions): void {
  const [kernel = ''] = options.kernel;
  // A selection of its own belongs to one kernel; such a task is a run of its own.
  const alone = options.kernel.length !== 1 || options.match !== undefined || options.output !== undefined || options.ordinal !== undefined;
  const key = alone ? task : JSON.stringify({ ...options, kernel: [] });
  const group = groups.get(key) ?? { options: { ...options, kernel: [] }, tasks: new Map<string, string>() };
  groups.set(key, group);
  group.options.kernel = [...group.options.kernel, ...options.kernel];
  group.tasks.set(task, alone ? '' : kernel);
}

async function* runGroup({ options, tasks }: Group, deps: Deps): AsyncGenerator<TaskResult> {
  let result: CaptureOutcome;
  try {
    result = await captureKernels(options, deps);
  } catch (error) {
    for (const task of tasks.keys()) yield failed(task, error, deps);
    return;
  }
  for (const [task, kernel] of tasks) {
    const failure = result.failures.find(({ name }) => kernel === '' || name === kernel);
    if (failure) yield failed(task, failure.error, deps);
    else yield { task, result: { success: true, terminalOutput: describe(result, kernel) } };
  }
}

function describe({ captures }: CaptureOutcome, kernel: string): string {
  return captures
    .filter(({ name }) => kernel === '' || name === kernel)
    .map(({ name, regions, output, selfcheck }) => `${name}: ${regions} regions in ${output}; self-check: ${selfcheck?.verdict ?? 'off'}\n`)
    .join('');
}

function failed(task: string, error: unknown, deps: Deps): TaskResult {
  const text =
    error instanceof KernloopError
      ? `error: ${error.what} [${error.code}]\n${error.hint ? `  → ${error.hint}\n` : ''}`
      : `internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`;
  deps.report.output(text);
  return { task, result: { success: false, terminalOutput: text } };
}
