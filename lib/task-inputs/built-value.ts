import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { currentReads, untouchedVariant, type Known } from '../recompile/current-variant';
import type { Environment } from '../support/environment';
import { shortDigest } from './value-files';

/** Digest of the files that the next recompile reads; undefined if they are not known. */
export function builtValue(folder: string, env: Environment, known: Known): string | undefined {
  const digest = readsOfBuilt(folder, env, known) ?? untouchedVariant(folder, env, known);
  return digest === undefined ? undefined : shortDigest(digest);
}

/** Whether the value is still current, also if the variant was built meanwhile. */
export function isStillBuiltOf(value: string, folder: string, env: Environment, known: Known): boolean {
  return [readsOfBuilt, untouchedVariant].some((readsOf) => {
    const digest = readsOf(folder, env, known);
    return digest !== undefined && shortDigest(digest) === value;
  });
}

function readsOfBuilt(folder: string, env: Environment, known: Known): string | undefined {
  return (known.isThere ?? existsSync)(join(folder, 'build', 'variant.json'))
    ? currentReads(folder, env, known)
    : undefined;
}
