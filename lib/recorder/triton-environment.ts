import { delimiter, join } from 'node:path';
import type { Environment } from '../support/environment';
import { packageRoot } from '../support/version';

/** Folder of the sitecustomize.py that Python runs first in every process. */
const shimFolder = join(packageRoot, 'python', 'shim');

const staticLauncher = 'TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER';

/**
 * Variables that make every Python process of the app record Triton's compilations and the launches of kernels with
 * these names. Other programs ignore them. KERNLOOP_TRITON_RECORD=off, in the app's `env` or in ours, leaves them out.
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
    // The static launcher of TorchInductor would bypass Triton and pass addresses instead of tensors. The code is the
    // same.
    [staticLauncher]: appEnv[staticLauncher] ?? '0',
  };
}
