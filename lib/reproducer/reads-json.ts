import { z } from 'zod';
import { sha256 } from '../support/files';
import { version } from '../support/version';

const digests = z.record(z.string(), z.string().length(64));

/**
 * `pristine/reads.json`: every file that the compiler reads for the untouched source. While these are unchanged, the
 * inputs of a recompile are known before the first one, as in a fresh clone.
 */
export const readsJsonSchema = z.strictObject({
  schema: z.literal('kernloop.reads/1'),
  version: z.string().describe('Of Kernloop.'),
  conditions_sha256: z.string().length(64).describe('The version of Kernloop and the toolchain by which it was found.'),
  recipe_sha256: z.string().length(64),
  sources: digests.describe('Files of the reproducer.'),
  system: digests.describe('Headers of the toolchain and the system, by their absolute paths.'),
});

export type ReadsJson = z.output<typeof readsJsonSchema>;

export const readsFile = 'reads.json';

export const readingConditions = (toolchain: string): string => sha256(JSON.stringify([version, toolchain]));
