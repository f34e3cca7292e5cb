import { kernloopJsonSchema } from '../../lib/app/kernloop-json';
import { devicePool } from '../../lib/slurm/command';
import { runnerVariable } from '../../lib/slurm/environment';
import type { Environment } from '../../lib/support/environment';
import { parseJson } from '../../lib/support/schema';
import { kernloopFile } from '../../lib/support/project-file-names';

/**
 * Placement options identify the GPUs of Slurm jobs, which this machine does not see. The software GPU is the same file
 * here and there. The pools of all apps count for all tasks, which costs only cache hits.
 */
export function devicePools(apps: readonly string[], read: (path: string) => string, env: Environment): string[] {
  if (env[runnerVariable] === 'local') return [];
  const pools = apps.flatMap((file) => {
    const runner = runnerOf(read(file));
    return runner ? [devicePool(runner)] : [];
  });
  return [...new Set(pools)].sort();
}

/** A broken file is reported when it is itself read. */
function runnerOf(text: string) {
  try {
    return parseJson(kernloopFile, text, kernloopJsonSchema).runner?.slurm;
  } catch {
    return undefined;
  }
}
