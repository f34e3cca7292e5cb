import { dirname } from 'node:path/posix';
import { nameSchema } from '../../lib/app/kernloop-json';
import { valueOfJson } from '../../lib/support/json-text';
import { kernloopFile } from '../../lib/support/project-file-names';
import { declaredValues, kernelsOf } from '../../lib/task-inputs/declared-values';
import { fileOfKernel } from '../../lib/task-inputs/value-files';
import type { TaskValues } from './task-values';

/**
 * Values of every kernel that these kernloop.json files (relative to the workspace) declare, and of settings for no
 * single kernel.
 */
export function selectionValues(files: readonly string[], read: (path: string) => string): TaskValues {
  return Object.fromEntries(files.flatMap((file) => Object.entries(declaredValues(file, read(file)))));
}

/**
 * Value for the user's files in a kernel's pristine/. Nx would remove them on a cache hit; the task itself refuses to.
 */
export const pristineFile = (root: string, kernel: string): string => fileOfKernel('pristine', root, kernel);

export function pristineValues(
  files: readonly string[],
  read: (path: string) => string,
  foreignIn: (reproducer: string) => readonly string[],
): TaskValues {
  return ofEveryKernel(files, read, (root, name, reproducer) => [
    pristineFile(root, name),
    foreignIn(reproducer).join(' '),
  ]);
}

/** Value from lib/store/lost-captures.ts for a kernel. */
export const lostFile = (root: string, kernel: string): string => fileOfKernel('lost', root, kernel);

export function lostValues(
  files: readonly string[],
  read: (path: string) => string,
  lost: ReadonlyMap<string, string>,
): TaskValues {
  return ofEveryKernel(files, read, (root, name, reproducer) => [lostFile(root, name), lost.get(reproducer) ?? '']);
}

function ofEveryKernel(
  files: readonly string[],
  read: (path: string) => string,
  value: (root: string, kernel: string, reproducer: string) => [file: string, value: string],
): TaskValues {
  const entries = files.flatMap((file) => {
    const text = read(file);
    const app = nameIn(text);
    const kernels = kernelsOf(text).filter(({ name }) =>
      [app, name].every((part) => nameSchema.safeParse(part).success),
    );
    return kernels.map(({ name }) => value(dirname(file), name, `kernels/${app ?? ''}/${name}`));
  });
  return Object.fromEntries(entries);
}

function nameIn(text: string): string | undefined {
  try {
    const value: unknown = valueOfJson(kernloopFile, text);
    const name: unknown = typeof value === 'object' && value !== null && 'name' in value ? value.name : undefined;
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}
