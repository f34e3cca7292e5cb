import { z } from 'zod';

const digest = z.string().length(64);

/** `build/variant.json`: what a variant's code object was made from, so that a stale one is never taken for the edited source. */
export const variantJsonSchema = z.looseObject({
  schema: z.literal('kernloop.variant/1'),
  code_object: z.string().describe('File name, beside this file.'),
  code_object_sha256: digest,
  symbol: z.string(),
  compiler: z.strictObject({ name: z.string(), version: z.string() }),
  target: z.string(),
  recipe_sha256: digest,
  sources: z.record(z.string(), digest).describe('Every file of the reproducer that went into it.'),
});

export type VariantJson = z.output<typeof variantJsonSchema>;
