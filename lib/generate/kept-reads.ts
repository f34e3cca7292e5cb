import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { readsFile, readsJsonSchema, type ReadsJson } from '../reproducer/reads-json';
import { KernloopError } from '../support/error';
import { readJson } from '../support/schema';

/**
 * Keeps the existing reads.json of pristine/ if only toolchain and system headers differ: the file is committed, and
 * machines that differ would otherwise keep overwriting it. If it does not fit a machine, a fresh clone recompiles
 * once.
 */
export function keepReads(pristine: string, folder: string): void {
  const [before, now] = [readsIn(pristine), readsIn(folder)];
  if (before !== null && now !== null && ofSource(before) === ofSource(now))
    copyFileSync(join(pristine, readsFile), join(folder, readsFile));
}

const ofSource = ({ version, recipe_sha256: recipe, sources }: ReadsJson): string =>
  JSON.stringify([version, recipe, Object.entries(sources).sort()]);

/** Null if there is none, or an earlier version wrote it. */
function readsIn(folder: string): ReadsJson | null {
  const path = join(folder, readsFile);
  try {
    return existsSync(path) ? readJson(path, readsJsonSchema, 'SOURCE_NOT_FOUND', '') : null;
  } catch (error) {
    if (error instanceof KernloopError) return null;
    throw error;
  }
}
