import { existsSync } from 'node:fs';
import type { Device } from '../device/device';
import type { NativePaths } from '../native/native-paths';
import type { Environment } from '../support/environment';

/**
 * Variables that make the loader record the app's NVRTC programs; the user's audit libraries stay, before ours. Set
 * only if KERNLOOP_NVRTC_RECORD=on, in the app's `env` or in ours: the loader is slower under an audit library.
 */
export function nvrtcEnvironment(
  device: Device,
  folder: string,
  appEnv: Environment,
  native: NativePaths,
): Record<string, string> {
  const isOn = appEnv['KERNLOOP_NVRTC_RECORD'] === 'on';
  if (!isOn || !device.hasNvrtc || !existsSync(native.nvrtcAudit)) return {};
  const users = (appEnv['LD_AUDIT'] ?? '').split(':').filter((path) => path !== '' && path !== native.nvrtcAudit);
  return { LD_AUDIT: [...users, native.nvrtcAudit].join(':'), KERNLOOP_NVRTC_DIR: folder };
}
