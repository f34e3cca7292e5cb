import { z } from 'zod';
import { variantNames } from '../pgo/layout';

export const pgoShowOptionsSchema = z.object({
  reproducer: z
    .string()
    .default('.')
    .describe('Folder of the reproducer: where kernel.json is, or any folder below it.'),
  spills: z
    .enum(variantNames)
    .optional()
    .describe('Whose spills to show. Default: those of the variant that pgo-use kept, otherwise "off" (CUDA: "use").'),
  all: z.boolean().default(false).describe('Show every function in the profile, not only the captured kernel.'),
  source: z.boolean().default(false).describe('Show the source with counts beside its lines, instead of a table.'),
});

export type PgoShowOptions = z.output<typeof pgoShowOptionsSchema>;
