import type { ExecutorContext } from '@nx/devkit';
import { openReproducer } from '../../lib/reproducer/reproducer';
import type { Deps } from '../../lib/deps/deps';
import { currentVariant } from '../../lib/recompile/current-variant';
import { recompileOptionsSchema } from '../../lib/recompile/options';
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
