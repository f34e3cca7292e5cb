import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { sha256OfFile } from '../support/files';
import type { ReadOnce } from '../support/read-once';
import { readJson } from '../support/schema';
import { changedInput } from './variant-json';

const digests = z.record(z.string(), z.string());

/** The variant that pgo-use kept, and the source that it was built from. */
export const keptVariantSchema = z.object({
  file: z.string().describe('Relative to the reproducer.'),
  sha256: z.string(),
  recipe_sha256: z.string(),
  sources: digests,
  outside: digests,
  system: digests,
  absent: z.array(z.string()),
});

export type KeptVariant = z.output<typeof keptVariantSchema>;

const choiceSchema = z.looseObject({ placed: keptVariantSchema.nullable() });

export const choiceFile = (root: string): string => join(root, 'pgo', 'choice.json');

/** The code object that pgo-use placed among the user's; null if there is none or if another one has replaced it. */
export function placedVariant(root: string): KeptVariant | null {
  const path = choiceFile(root);
  if (!existsSync(path)) return null;
  const { placed } = readJson(path, choiceSchema, 'VARIANT_MISSING', 'run `kernloop pgo-use` again');
  if (placed === null || !existsSync(resolve(root, placed.file))) return null;
  return sha256OfFile(resolve(root, placed.file)) === placed.sha256 ? placed : null;
}

/** Whether it was built from the current source. */
export function isOfThisSource(reproducer: { root: string; files: ReadOnce }, placed: KeptVariant): boolean {
  return changedInput(reproducer, placed) === null;
}
