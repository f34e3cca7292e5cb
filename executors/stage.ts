import type { ExecutorContext } from '@nx/devkit';
import { stageNames } from '../lib/stages/registry';
import { runStage, type TaskOptions } from './run-stage';

type Executor = (options: TaskOptions, context: ExecutorContext) => Promise<{ success: boolean }>;

/** Executors of all stages with tasks, by stage name: executors.json refers to `stage#validate`. */
const executors: Readonly<Record<string, Executor>> = Object.fromEntries(
  stageNames.map((name): [string, Executor] => [name, (options, context) => runStage(name, options, context)]),
);

export = executors;
