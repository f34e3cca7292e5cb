import { z } from 'zod';

/** Also of extract, which adopts. */
export const reset = z
  .boolean()
  .default(false)
  .describe('Bring files that differ back to what was generated; files that are not in pristine/ stay.');

export const adoptOptionsSchema = z.object({
  reproducer: z.string().default('.').describe('Folder of the reproducer: the one with pristine/.'),
  reset,
});

export type AdoptOptions = z.output<typeof adoptOptionsSchema>;
