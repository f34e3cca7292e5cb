import { z } from 'zod';

const extents = z.tuple([z.int().min(1), z.int().min(1), z.int().min(1)]);

/**
 * Launch of a candidate if its source sets it: another block size or number of warps changes the launch, but not the
 * result.
 */
export const variantLaunchSchema = z.strictObject({
  grid: extents.describe('In programs.'),
  block: extents.describe('Threads of a program.'),
  shared: z.int().min(0).describe('Bytes of shared memory (LDS) of a program.'),
});

export type VariantLaunch = z.output<typeof variantLaunchSchema>;
