import type { ExecutorContext } from '@nx/devkit';
import { reportingErrors, runStage, type TaskOptions } from '../run-stage';
import { refuseDryRun } from './options';

export default function capture(options: TaskOptions, context: ExecutorContext): Promise<{ success: boolean }> {
  return reportingErrors(async () => {
    refuseDryRun(options, process.env);
    return (await runStage('capture', options, context)).success;
  });
}
