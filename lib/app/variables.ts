import type { Device } from '../device/device';
import type { Deps } from '../deps/deps';
import type { App } from './app';

/** Environment of the app on a device, in addition to the shell's. */
export function appVariables({ config }: App, device: Device, deps: Deps): Record<string, string | undefined> {
  return { ...config.env, ...device.env, ...device.appLibraries({ ...deps.env, ...config.env }) };
}
