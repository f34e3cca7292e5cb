import { z } from 'zod';
import type { Stage } from '../stage/stage';
import type { OptionsSchema } from '../support/options';

/** Options of the task: those of the verb, except those that no task can have. */
export function taskOptions({ options, task }: Pick<Stage, 'options' | 'task'>): OptionsSchema {
  const without = task?.without ?? [];
  return z.object(Object.fromEntries(Object.entries(options.shape).filter(([name]) => !without.includes(name))));
}
