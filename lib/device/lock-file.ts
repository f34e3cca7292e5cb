import { statSync } from 'node:fs';
import { join } from 'node:path';

/** Mode of a folder that is sticky and world-writable. */
const shared = 0o1777;

/**
 * The lock of a device has one path for all users of a machine. It avoids TMPDIR, and /tmp if possible, which a Slurm
 * job may have for itself (job_container/tmpfs): jobs that share a GPU would not see each other's lock. /run/lock and
 * /dev/shm are on no network file system, whose locks may not hold.
 */
export function lockFile(device: string, folders: readonly string[] = ['/run/lock', '/dev/shm']): string {
  const folder = folders.find((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o7777) === shared);
  return join(folder ?? '/tmp', `kernloop-${device.replace(/[^A-Za-z0-9-]/g, '_')}.lock`);
}
