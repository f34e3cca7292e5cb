import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { KernloopError } from '../support/error';

/** Names that users give to a code object of their own making, in the reproducer or in its build folder. */
const knownNames = /^(candidate|optimized)\.(hsaco|cubin)$/;

/** A code object that the user built without `recompile`; undefined where there is none. */
export function knownVariant(root: string): string | undefined {
  const found = ['', 'build'].flatMap((folder) => namesIn(join(root, folder)).map((name) => join(folder, name)));
  if (found.length <= 1) return found[0];
  throw new KernloopError(
    'VARIANT_MISSING',
    `${found.join(' and ')} could both be meant`,
    'name one with --variant; `--variant none` takes the captured code',
  );
}

function namesIn(folder: string): string[] {
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => knownNames.test(name))
        .sort()
    : [];
}
