import type { ExecutorContext } from '@nx/devkit';
import { runStage, type TaskOptions } from '../run-stage';

export default function replay(options: TaskOptions, context: ExecutorContext): Promise<{ success: boolean }> {
  return runStage('replay', options, context);
}
