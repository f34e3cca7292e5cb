import { statSync } from 'node:fs';
import { KernloopError } from '../support/error';

/** Bytes of a code object, or of all that one is compiled from. Real ones have some MiB. */
export const mostBytes = 256 * 1024 * 1024;

/**
 * Refuses files that are too large together to be read in one go: a candidate can write files of GiBs that take no disk
 * space, and its Python can say that it was compiled from any.
 */
export function requireBounded(paths: readonly string[], what: string): void {
  const bytes = paths.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
  if (bytes <= mostBytes) return;
  throw new KernloopError(
    'COMPILE_FAILED',
    `${what} ${bytes} bytes, and may have ${mostBytes}`,
    'compile less text, or fewer kernels, at a time',
  );
}
