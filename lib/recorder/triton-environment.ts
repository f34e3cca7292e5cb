import { delimiter, join } from 'node:path';
import type { Environment } from '../support/environment';
import { packageRoot } from '../support/version';

/** Its sitecustomize.py is what Python runs first in every process. */
const shimFolder = join(packageRoot, 'python', 'shim');

const staticLauncher = 'TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER';

/**
 * Variables that make every Python process of the app record what Triton compiles there, and how the kernels of these names are launched.
 * Programs that are none of Python's never look at them. KERNLOOP_TRITON_RECORD=off, in the app's `env` or in ours, leaves them out.
 */
export function tritonEnvironment(
  folder: string,
  patterns: readonly string[],
  appEnv: Environment,
): Record<string, string> {
  if (appEnv['KERNLOOP_TRITON_RECORD'] === 'off') return {};
  const users = (appEnv['PYTHONPATH'] ?? '').split(delimiter).filter((path) => path !== shimFolder);
  return {
    PYTHONPATH: [shimFolder, ...users].filter((path) => path !== '').join(delimiter),
    KERNLOOP_TRITON_DIR: folder,
    KERNLOOP_TRITON_MATCH: JSON.stringify(patterns),
    // TorchInductor would launch past Triton, with addresses where tensors were. The code is the same.
    [staticLauncher]: appEnv[staticLauncher] ?? '0',
  };
}
