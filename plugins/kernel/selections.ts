import { dirname } from 'node:path/posix';
import { nameSchema } from '../../lib/app/kernloop-json';
import { fieldOf, type JsonReader } from '../../lib/support/lenient-json';
import { declaredValues, kernelsOf } from '../../lib/task-inputs/declared-values';
import { fileOfKernel } from '../../lib/task-inputs/value-files';
import type { TaskValues } from './task-values';

/**
 * Values of every kernel that these kernloop.json files declare, and of settings for no single kernel. Files are
 * relative to the workspace, also for `json`.
 */
export function selectionValues(files: readonly string[], json: JsonReader): TaskValues {
  return Object.fromEntries(files.flatMap((file) => Object.entries(declaredValues(file, json(file)))));
}

/**
 * Value for the user's files in a kernel's pristine/. Nx would remove them on a cache hit; the task itself refuses to.
 */
export const pristineFile = (root: string, kernel: string): string => fileOfKernel('pristine', root, kernel);

export function pristineValues(
  files: readonly string[],
  json: JsonReader,
  foreignIn: (reproducer: string) => readonly string[],
): TaskValues {
  return ofEveryKernel(files, json, (root, name, reproducer) => [
    pristineFile(root, name),
    foreignIn(reproducer).join(' '),
  ]);
}

/** Value from lib/store/lost-captures.ts for a kernel. */
export const lostFile = (root: string, kernel: string): string => fileOfKernel('lost', root, kernel);

export function lostValues(files: readonly string[], json: JsonReader, lost: ReadonlyMap<string, string>): TaskValues {
  return ofEveryKernel(files, json, (root, name, reproducer) => [lostFile(root, name), lost.get(reproducer) ?? '']);
}

function ofEveryKernel(
  files: readonly string[],
  json: JsonReader,
  value: (root: string, kernel: string, reproducer: string) => [file: string, value: string],
): TaskValues {
  const entries = files.flatMap((file) => {
    const app = json(file);
    const parsed = nameSchema.safeParse(fieldOf(app, 'name'));
    if (!parsed.success) return [];
    const kernels = kernelsOf(app).filter(({ name }) => nameSchema.safeParse(name).success);
    return kernels.map(({ name }) => value(dirname(file), name, `kernels/${parsed.data}/${name}`));
  });
  return Object.fromEntries(entries);
}
