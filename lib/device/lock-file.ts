import { statSync } from 'node:fs';
import { join } from 'node:path';

/** Sticky, and everybody may write. */
const shared = 0o1777;

/**
 * The lock of a device has one place for everybody on a machine. Not where TMPDIR says, nor in the /tmp that a job of Slurm may have for
 * itself (job_container/tmpfs): jobs that share a GPU would not see each other. Neither is on a network file system, whose locks may not hold.
 */
export function lockFile(device: string, folders: readonly string[] = ['/run/lock', '/dev/shm']): string {
  const folder = folders.find((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o7777) === shared);
  return join(folder ?? '/tmp', `kernloop-${device.replace(/[^A-Za-z0-9-]/g, '_')}.lock`);
}
