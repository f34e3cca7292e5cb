import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sha256, writeFileAtomic } from '../../lib/support/files';
import { beganVariable, commandFile, commandVariable } from '../../lib/stage/command-inputs';
import { ReadOnce } from '../../lib/support/read-once';
import { isUnknown, valuesFolder } from '../../lib/task-inputs/value-files';
import type { TargetInput } from './inputs';

/**
 * Values that decide a kernel's tasks and that Nx does not hash, by the file that the plugin writes before the tasks of
 * a command: `.kernloop/inputs/4K2J0QZ7W1XB/judged`. They are not environment variables: Nx copies all variables for
 * each task, which for ten thousand kernels with three each would make a thousand million copies, and Linux starts no
 * process with more than 2 MiB. An empty value has no file.
 */
export type TaskValues = Readonly<Record<string, string>>;

/** Git ignores these files. */
export const valueInput = (file: string): TargetInput => ({ fileset: `{workspaceRoot}/${file}`, includeIgnored: true });

/** A file that has its value already keeps its time, so that Nx need not read it again. */
export function writeValues(workspaceRoot: string, values: TaskValues): void {
  const look = new ReadOnce();
  for (const [file, value] of Object.entries(values)) {
    const path = join(workspaceRoot, file);
    if (value === '' && !look.isThere(path)) continue;
    // No file has an unknown value, which is new each time.
    if (!isUnknown(value) && contentOf(path) === value) continue;
    if (value === '') rmSync(path, { recursive: true, force: true });
    // Without sync: the next command rewrites a file that a crash emptied.
    else writeFileAtomic(path, value, { sync: false });
  }
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return existsSync(path) ? undefined : '';
  }
}

/**
 * Two commands may run at once, and the values of one are then hashed by the other. All values come from files, whoever
 * reads them, except those named here: a task that finds another command's values refuses to run
 * (executors/tracked.ts). Written before the values.
 */
export function announceCommand(workspaceRoot: string, own: readonly string[]): Readonly<Record<string, string>> {
  const id = sha256(JSON.stringify(own));
  // For a file that git sees, Nx uses the digest from when the graph was made.
  writeValues(workspaceRoot, { [`${valuesFolder}/.gitignore`]: '*\n', [commandFile]: id });
  return { [commandVariable]: id };
}

/**
 * Time at which all values of a command were written, by the clock of the disk. A task that finds a newer value was
 * hashed by another one (executors/unchanged.ts).
 */
export function markBegin(workspaceRoot: string): Readonly<Record<string, string>> {
  const path = join(workspaceRoot, valuesFolder, 'began');
  // New content each time, because equal content would not be written.
  writeFileAtomic(path, `${process.pid} ${process.hrtime.bigint()}\n`, { sync: false });
  return { [beganVariable]: String(statSync(path, { bigint: true }).ctimeNs) };
}
