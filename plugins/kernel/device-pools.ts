import { kernloopJsonSchema } from '../../lib/app/kernloop-json';
import { devicePool } from '../../lib/slurm/command';
import { runnerVariable } from '../../lib/slurm/environment';
import type { Environment } from '../../lib/support/environment';

/**
 * GPUs that jobs of Slurm may get, which this machine does not see: what chooses them stands for them. The software GPU is the same file here
 * and there. Every app's count for all tasks, which only costs a hit.
 */
export function devicePools(apps: readonly string[], read: (path: string) => string, env: Environment): string[] {
  if (env[runnerVariable] === 'local') return [];
  const pools = apps.flatMap((file) => {
    const runner = runnerOf(read(file));
    return runner ? [devicePool(runner)] : [];
  });
  return [...new Set(pools)].sort();
}

/** A broken file is reported where it is itself read. */
function runnerOf(text: string) {
  try {
    return kernloopJsonSchema.parse(JSON.parse(text)).runner?.slurm;
  } catch {
    return undefined;
  }
}
