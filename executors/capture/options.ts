import { captureOptionsSchema } from '../../lib/capture/options';
import { KernloopError } from '../../lib/support/error';
import type { TaskOptions } from '../run-stage';
import type { Environment } from '../../lib/support/environment';

/** A task's output is a capture: one that writes none is no task. */
export const captureTaskOptionsSchema = captureOptionsSchema.omit({ dryRun: true });

export function refuseDryRun(options: TaskOptions, env: Environment): void {
  if (options['dryRun'] === undefined && !env['KERNLOOP_DRY_RUN']) return;
  throw new KernloopError(
    'USAGE',
    'a dry run captures nothing, and Nx would keep that as the result of the task',
    'run it without Nx: `kernloop capture --dry-run`, without KERNLOOP_DRY_RUN',
  );
}
