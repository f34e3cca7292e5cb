import type { ExecutorContext } from '@nx/devkit';
import { runStage, type TaskOptions } from '../run-stage';

export default function capture(options: TaskOptions, context: ExecutorContext): Promise<{ success: boolean }> {
  return runStage('capture', options, context);
}
