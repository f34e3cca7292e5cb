import { delimiter, join } from 'node:path';
import type { Environment } from '../support/environment';
import { packageRoot } from '../support/version';

/** Folder of the sitecustomize.py that Python runs first in every process. */
const shimFolder = join(packageRoot, 'python', 'shim');

const staticLauncher = 'TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER';

/** Work on Triton in the Python processes of an app. */
export interface TritonWishes {
  /** Folder in which they record compilations, and launches of kernels with these names. */
  readonly record?: { readonly folder: string; readonly patterns: readonly string[] } | undefined;
  /** Whether Triton gets the software GPU where it finds no GPU. */
  readonly onSoftgpu: boolean;
}

/**
 * Variables for the Python processes of the app. Other programs ignore them. KERNLOOP_TRITON_RECORD=off, in the app's
 * `env` or in ours, leaves them out.
 */
export function tritonEnvironment({ record, onSoftgpu }: TritonWishes, appEnv: Environment): Record<string, string> {
  if (appEnv['KERNLOOP_TRITON_RECORD'] === 'off' || (record === undefined && !onSoftgpu)) return {};
  const users = (appEnv['PYTHONPATH'] ?? '').split(delimiter).filter((path) => path !== shimFolder);
  return {
    PYTHONPATH: [shimFolder, ...users].filter((path) => path !== '').join(delimiter),
    ...(onSoftgpu ? { KERNLOOP_TRITON_SOFTGPU: '1' } : {}),
    ...(record === undefined ? {} : recording(record, appEnv)),
  };
}

function recording(
  { folder, patterns }: NonNullable<TritonWishes['record']>,
  appEnv: Environment,
): Record<string, string> {
  return {
    KERNLOOP_TRITON_DIR: folder,
    KERNLOOP_TRITON_MATCH: JSON.stringify(patterns),
    // The static launcher of TorchInductor would bypass Triton and pass addresses instead of tensors. The code is the
    // same.
    [staticLauncher]: appEnv[staticLauncher] ?? '0',
  };
}
