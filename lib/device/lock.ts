import { writeFileSync } from 'node:fs';
import type { Deps } from '../deps/deps';
import { takeLock } from '../deps/lock';
import { KernloopError, systemCode } from '../support/error';
import type { Device } from './device';

/** Runs `work` while no other stage uses the device. */
export async function withDevice<T>(device: Device, deps: Deps, work: () => Promise<T>): Promise<T> {
  if (device.lock === null) return work();
  createIfMissing(device.lock);
  const taken = await takeLock(device.lock, { name: device.description.name, use: 'another stage uses' }, deps);
  if ('refused' in taken) {
    throw new KernloopError(
      'DEVICE_UNAVAILABLE',
      `the lock ${device.lock} cannot be taken: ${taken.refused}`,
      'make it readable for you; if flock is not installed: apt-get install util-linux',
    );
  }
  try {
    return await work();
  } finally {
    await taken.release();
  }
}

function createIfMissing(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o644 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}
