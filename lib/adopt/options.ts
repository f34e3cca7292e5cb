import { z } from 'zod';

/** Option of adopt and of extract, which adopts. */
export const reset = z
  .boolean()
  .default(false)
  .describe('Overwrite edited files with the generated ones. Files that are not in pristine/ are kept.');

export const adoptOptionsSchema = z.object({
  reproducer: z.string().default('.').describe('Folder of the reproducer: where pristine/ is.'),
  reset,
});

export type AdoptOptions = z.output<typeof adoptOptionsSchema>;
