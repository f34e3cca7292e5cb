import { existsSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '../support/files';
import { readRegularFile } from '../support/regular-file';

const maxFileBytes = 4 << 20;

/**
 * Reads only files inside the reproducer: a code object may name any file of this machine, and the page is sent to
 * others.
 */
export function textOf(root: string, file: string): string[] | null {
  const path = join(root, file);
  if (!existsSync(path)) return null;
  const real = realpathSync(path);
  const { size } = statSync(real);
  if (!isInside(realpathSync(root), real) || !statSync(real).isFile() || size > maxFileBytes) return null;
  return readRegularFile(real, 'utf8').split('\n');
}
