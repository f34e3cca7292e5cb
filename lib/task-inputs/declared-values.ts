import { dirname } from 'node:path/posix';
import { declaredFile, selectionFile, shortDigest } from './value-files';

/** What kernloop.json says, by the files that tasks are hashed by. `file`: relative to the workspace. Nothing of one that is broken. */
export function declaredValues(file: string, text: string): Readonly<Record<string, string>> {
  const root = dirname(file);
  const value = objectIn(text);
  if (value === undefined) return {};
  const { kernels: _kernels, ...rest } = value;
  return Object.fromEntries([
    [declaredFile(root), shortDigest(JSON.stringify(rest))],
    ...kernelsOf(text).map((kernel): [string, string] => [
      selectionFile(root, kernel.name),
      shortDigest(JSON.stringify(kernel)),
    ]),
  ]);
}

/** As written, whatever it means. A file that is none of ours, or broken, declares nothing here: it has no project either. */
export function kernelsOf(text: string): { name: string }[] {
  const kernels = objectIn(text)?.['kernels'] ?? [];
  if (!Array.isArray(kernels)) return [];
  return kernels.filter(
    (kernel: unknown): kernel is { name: string } =>
      typeof kernel === 'object' && kernel !== null && 'name' in kernel && typeof kernel.name === 'string',
  );
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
