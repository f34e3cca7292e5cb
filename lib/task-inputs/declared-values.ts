import { dirname } from 'node:path/posix';
import { valueOfJson } from '../support/json-text';
import { kernloopFile } from '../support/project-file-names';
import { declaredFile, selectionFile, shortDigest } from './value-files';

/**
 * Content of kernloop.json, split into the files that tasks are hashed by. `file` is relative to the workspace. Empty
 * for a broken file.
 */
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

/**
 * Kernels as written, valid or not. A file that is not ours or is broken declares none here, and has no project either.
 */
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
    const value: unknown = valueOfJson(kernloopFile, text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
