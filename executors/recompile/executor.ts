import type { ExecutorContext } from '@nx/devkit';
import { openReproducer } from '../../lib/replay/reproducer';
import type { Deps } from '../../lib/support/deps';
import { currentVariant } from '../../lib/toolchain/current-variant';
import { recompileOptionsSchema } from '../../lib/toolchain/options';
import { runStage, type TaskOptions } from '../run-stage';

export default function recompile(options: TaskOptions, context: ExecutorContext): Promise<{ success: boolean }> {
  return runStage('recompile', options, context, isUpToDate);
}

/** The task runs once more after each recompile, since only then the files that were read are known: it need not compile again. */
function isUpToDate(values: TaskOptions, { env, report }: Deps): boolean {
  const { reproducer, lineInfo } = recompileOptionsSchema.parse(values);
  if (env['NX_SKIP_NX_CACHE'] === 'true' || currentVariant(reproducer, { lineInfo }, env) === undefined) return false;
  report.result(`${openReproducer(reproducer).config.name}: what recompile built is up to date`);
  return true;
}
