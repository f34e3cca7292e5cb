import type { Stage } from '../stage/stage';
import type { Task } from '../stage/task';
import tasks from './tasks.json';

type OfDescriptor = Pick<Stage, 'name' | 'summary' | 'project'>;
type OfTask = Pick<
  Task,
  'targets' | 'cache' | 'after' | 'inputs' | 'needsSource' | 'needsCommands' | 'fixed' | 'example'
>;

/** The part of a stage's descriptor about tasks, without code and schemas. */
export interface StageTask extends OfDescriptor, OfTask {
  /** Files that the cache brings back: `{app}`, `{reproducer}` and `{extension}` are replaced for each project. */
  readonly outputs: readonly string[];
  /** Names of its verb's options; each can be set by a variable. */
  readonly options: readonly string[];
  /** Whether its option `kernel`, if it has one, takes several. */
  readonly takesKernels: boolean;
}

/**
 * Generated from the descriptors, in the order of the registry: every Nx command builds the graph without loading a
 * descriptor.
 */
export const stageTasks = tasks as unknown as readonly StageTask[];
