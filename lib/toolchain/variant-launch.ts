import { z } from 'zod';

const extents = z.tuple([z.int().min(1), z.int().min(1), z.int().min(1)]);

/** Launch that a candidate's source sets: other block sizes or numbers of warps give the same result. */
export const variantLaunchSchema = z.strictObject({
  grid: extents.describe('In programs.'),
  block: extents.describe('Threads of a program.'),
  shared: z.int().min(0).describe('Bytes of shared memory (LDS) of a program.'),
});

export type VariantLaunch = z.output<typeof variantLaunchSchema>;
