import { dirname } from 'node:path/posix';
import { nameSchema } from '../../lib/app/kernloop-json';
import { shortDigest, valueFile, type TaskValues } from './task-values';

/**
 * Nx hashes files, or top-level fields of JSON files, but no element of a list: what an app says of one kernel is an input as the
 * digest in a file of its own, so that it concerns the tasks of that kernel alone.
 */
export const selectionFile = (root: string, kernel: string): string => fileOfKernel('selection', root, kernel);

/** Apart from those of a reproducer, whose folder may have the same name. */
const fileOfKernel = (kind: string, root: string, kernel: string): string => valueFile(kind, `${root} ${kernel}`);

/** Of every kernel that these files (kernloop.json, relative to the workspace) declare. */
export function selectionValues(files: readonly string[], read: (path: string) => string): TaskValues {
  const entries = files.flatMap((file) =>
    kernelsOf(read(file)).map((kernel): [string, string] => [
      selectionFile(dirname(file), kernel.name),
      shortDigest(JSON.stringify(kernel)),
    ]),
  );
  return Object.fromEntries(entries);
}

/** Of a kernel: what lies in its pristine/ and is none of ours. Nx removes it on a cache hit; the task itself refuses to. */
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

/** Of a kernel: what lib/store/lost-captures.ts says of it. */
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
    const value: unknown = JSON.parse(text);
    const name: unknown = typeof value === 'object' && value !== null && 'name' in value ? value.name : undefined;
    return typeof name === 'string' ? name : undefined;
  } catch {
    return undefined;
  }
}

/** As written, whatever it means. A file that is none of ours, or broken, declares nothing here: it has no project either. */
function kernelsOf(text: string): { name: string }[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const kernels: unknown = typeof value === 'object' && value !== null && 'kernels' in value ? value.kernels : [];
  if (!Array.isArray(kernels)) return [];
  return kernels.filter(
    (kernel: unknown): kernel is { name: string } =>
      typeof kernel === 'object' && kernel !== null && 'name' in kernel && typeof kernel.name === 'string',
  );
}
