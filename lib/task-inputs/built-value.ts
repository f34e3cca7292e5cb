import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { currentReads, untouchedVariant, type Known } from '../recompile/current-variant';
import type { Environment } from '../support/environment';
import { shortDigest } from './value-files';

/** What the next recompile reads, as a digest; undefined where that is not known. */
export function builtValue(folder: string, env: Environment, known: Known): string | undefined {
  const digest = readsOfBuilt(folder, env, known) ?? untouchedVariant(folder, env, known);
  return digest === undefined ? undefined : shortDigest(digest);
}

/** Whether that is still so, also where it was built meanwhile. */
export function isStillBuiltOf(value: string, folder: string, env: Environment, known: Known): boolean {
  return [readsOfBuilt, untouchedVariant].some((readsOf) => {
    const digest = readsOf(folder, env, known);
    return digest !== undefined && shortDigest(digest) === value;
  });
}

function readsOfBuilt(folder: string, env: Environment, known: Known): string | undefined {
  return existsSync(join(folder, 'build', 'variant.json')) ? currentReads(folder, env, known) : undefined;
}
