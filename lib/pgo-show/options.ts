import { z } from 'zod';
import { variantNames } from '../pgo/layout';

export const pgoShowOptionsSchema = z.object({
  reproducer: z
    .string()
    .default('.')
    .describe('Folder of the reproducer: the one with kernel.json, or a folder below it.'),
  spills: z
    .enum(variantNames)
    .optional()
    .describe(
      'Whose spills to show; if left out, those of the variant that pgo-use kept, or else of "off" (CUDA: "use").',
    ),
  all: z
    .boolean()
    .default(false)
    .describe('Show the other functions of the profile, too, not only the captured kernel.'),
  source: z.boolean().default(false).describe('Show the source with the figures beside its lines, instead of a table.'),
});

export type PgoShowOptions = z.output<typeof pgoShowOptionsSchema>;
