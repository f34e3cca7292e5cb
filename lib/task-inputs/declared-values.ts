import { dirname } from 'node:path/posix';
import { fieldOf } from '../support/lenient-json';
import { declaredFile, selectionFile, shortDigest } from './value-files';

/**
 * Content of kernloop.json, split into the files that tasks are hashed by. `file` is relative to the workspace. Empty
 * for a broken file, whose value is undefined.
 */
export function declaredValues(file: string, value: unknown): Readonly<Record<string, string>> {
  const root = dirname(file);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const { kernels: _kernels, ...rest } = value as Record<string, unknown>;
  return Object.fromEntries([
    [declaredFile(root), shortDigest(JSON.stringify(rest))],
    ...kernelsOf(value).map((kernel): [string, string] => [
      selectionFile(root, kernel.name),
      shortDigest(JSON.stringify(kernel)),
    ]),
  ]);
}

/**
 * Kernels as written, valid or not. A file that is not ours or is broken declares none here, and has no project either.
 */
export function kernelsOf(value: unknown): { name: string }[] {
  const kernels = fieldOf(value, 'kernels');
  if (!Array.isArray(kernels)) return [];
  return kernels.filter(
    (kernel: unknown): kernel is { name: string } =>
      typeof kernel === 'object' && kernel !== null && 'name' in kernel && typeof kernel.name === 'string',
  );
}
