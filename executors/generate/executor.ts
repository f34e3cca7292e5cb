import type { ExecutorContext } from '@nx/devkit';
import { runStage, type TaskOptions } from '../run-stage';

export default function generate(options: TaskOptions, context: ExecutorContext): Promise<{ success: boolean }> {
  return runStage('generate', options, context);
}
