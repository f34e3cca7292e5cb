import type { ExecutorContext } from '@nx/devkit';
import { runStage, type TaskOptions } from '../run-stage';

export default function profile(options: TaskOptions, context: ExecutorContext): Promise<{ success: boolean }> {
  return runStage('profile', options, context);
}
