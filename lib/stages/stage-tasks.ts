import type { Stage } from '../stage/stage';
import type { Task } from '../stage/task';
import tasks from './tasks.json';

type OfDescriptor = Pick<Stage, 'name' | 'summary' | 'project'>;
type OfTask = Pick<
  Task,
  'targets' | 'cache' | 'after' | 'inputs' | 'outputs' | 'needsSource' | 'needsCommands' | 'fixed' | 'example'
>;

/** What the descriptor of a stage says of its tasks, and neither code nor schemas. */
export interface StageTask extends OfDescriptor, OfTask {
  /** Names of the options of its verb: a variable sets each. */
  readonly options: readonly string[];
  /** Whether its option `kernel`, where it has one, takes several. */
  readonly takesKernels: boolean;
}

/** Generated from the descriptors, in the order of the registry: every command of Nx makes its graph, and loads none of them for it. */
export const stageTasks = tasks as unknown as readonly StageTask[];
