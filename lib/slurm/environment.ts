import type { Environment } from '../support/environment';

/** Variables that programs need to run as they do here. None names a device, which Slurm chooses. */
const usual = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'LD_LIBRARY_PATH', 'LD_PRELOAD'],
  ...['PYTHONPATH', 'PYTHONHOME', 'VIRTUAL_ENV', 'NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS'],
  ...['CUDA_HOME', 'CUDA_PATH', 'ROCM_PATH', 'HIP_PATH', 'HIP_PLATFORM', 'HSA_OVERRIDE_GFX_VERSION'],
];

/**
 * Names of the set variables that a job gets. Their values go through the environment of srun, never through its
 * arguments.
 */
export function exportedNames(env: Environment, more: readonly string[]): string[] {
  const isOwn = (name: string): boolean => /^KERNLOOP_\w+$/.test(name) && name !== runnerVariable;
  const own = Object.keys(env).filter(isOwn);
  const names = [...usual, ...own, ...more].filter((name) => env[name] !== undefined);
  return [...new Set(names)];
}

/** "local" runs everything here, whatever kernloop.json says. */
export const runnerVariable = 'KERNLOOP_RUNNER';

/** Environment for Slurm's programs: inside an allocation they would use that allocation. */
export function clientEnvironment(env: Environment): Record<string, string | undefined> {
  const given = Object.entries(env);
  if (env['SLURM_JOB_ID'] === undefined) return Object.fromEntries(given);
  const isOfJob = (name: string): boolean => /^(SLURM|SLURMD|SBATCH|SRUN)_/.test(name) && name !== 'SLURM_CONF';
  return Object.fromEntries(given.map(([name, value]) => [name, isOfJob(name) ? undefined : value]));
}
