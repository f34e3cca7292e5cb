import type { Device } from '../device/device';
import type { Deps } from '../deps/deps';
import type { App } from './app';

/** What the app runs with on a device, beside the environment of the shell. */
export function appVariables({ config }: App, device: Device, deps: Deps): Record<string, string | undefined> {
  return { ...config.env, ...device.env, ...device.appLibraries({ ...deps.env, ...config.env }) };
}
