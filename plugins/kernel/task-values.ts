import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../../lib/support/files';
import { partialOf } from '../../lib/support/leftovers';
import { beganVariable, commandFile, commandVariable } from '../../lib/stage/command-inputs';
import { valuesFolder } from '../../lib/task-inputs/value-files';
import type { TargetInput } from './inputs';

/**
 * What decides the tasks of one kernel and Nx does not hash by itself, by the file that the plugin writes it into before the tasks of a command:
 * `.kernloop/inputs/4K2J0QZ7W1XB/judged`. Not variables of the environment: Nx gives each task a copy of them all, which ten thousand kernels
 * with three of them would make a thousand million, and Linux starts no process with more than 2 MiB. A value that is empty has no file.
 */
export type TaskValues = Readonly<Record<string, string>>;

/** Git ignores the file. */
export const valueInput = (file: string): TargetInput => ({ fileset: `{workspaceRoot}/${file}`, includeIgnored: true });

/** A file that holds its value already keeps its time: Nx need not read it again. */
export function writeValues(workspaceRoot: string, values: TaskValues): void {
  for (const [file, value] of Object.entries(values)) {
    const path = join(workspaceRoot, file);
    if (contentOf(path) === value) continue;
    if (value === '') rmSync(path, { recursive: true, force: true });
    else replace(path, value);
  }
}

/** Whole, or as it was. Not synced: a file that a crash emptied is written again by the next command. */
function replace(path: string, value: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const partial = partialOf(path);
  writeFileSync(partial, value);
  renameSync(partial, path);
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return existsSync(path) ? undefined : '';
  }
}

/**
 * Two commands may run at once, and the values of one are then hashed by the other. They say what lies in files, whoever looks, but for what
 * is named here: a task that finds another command's, refuses (executors/tracked.ts). Written before the values.
 */
export function announceCommand(workspaceRoot: string, own: readonly string[]): Readonly<Record<string, string>> {
  const id = sha256(JSON.stringify(own));
  // Of a file that git sees, Nx takes the digest that it had when the graph was made.
  writeValues(workspaceRoot, { [`${valuesFolder}/.gitignore`]: '*\n', [commandFile]: id });
  return { [commandVariable]: id };
}

/**
 * When all values of a command were written, by the clock of the disk. A task that finds one that is younger was hashed by another value
 * (executors/unchanged.ts).
 */
export function markBegin(workspaceRoot: string): Readonly<Record<string, string>> {
  const path = join(workspaceRoot, valuesFolder, 'began');
  // Another content each time, or nothing would be written.
  replace(path, `${process.pid} ${process.hrtime.bigint()}\n`);
  return { [beganVariable]: String(statSync(path, { bigint: true }).ctimeNs) };
}
