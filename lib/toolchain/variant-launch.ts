import { z } from 'zod';

const extents = z.tuple([z.int().min(1), z.int().min(1), z.int().min(1)]);

/** How a candidate is launched where its source says so: a changed block size or number of warps is another launch of the same result. */
export const variantLaunchSchema = z.strictObject({
  grid: extents.describe('In programs.'),
  block: extents.describe('Threads of a program.'),
  shared: z.int().min(0).describe('Bytes of shared memory (LDS) of a program.'),
});

export type VariantLaunch = z.output<typeof variantLaunchSchema>;
