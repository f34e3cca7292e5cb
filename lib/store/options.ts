import { z } from 'zod';

export const storeOptionsSchema = z.object({
  action: z
    .enum(['verify', 'gc', 'stats'])
    .describe(
      'verify: read and hash every chunk; gc: remove what no capture needs; stats: what it holds, and for whom.',
    ),
  workspace: z.string().default('.').describe('Any folder of the workspace whose captures and store are meant.'),
  store: z.string().optional().describe("Chunk store; the workspace's .kernloop/store if left out."),
  captureRoot: z
    .array(z.string().min(1))
    .default([])
    .describe('Folder with more captures that use the store, beside the workspace: those of other workspaces.'),
  graceHours: z
    .number()
    .min(0)
    .max(24 * 366)
    .default(24)
    .describe('gc spares chunks that a capture has written or found useful within this time.'),
  keepCached: z
    .boolean()
    .default(true)
    .describe('gc also spares the chunks of captures in the cache of Nx (.nx), which Nx may restore.'),
  dryRun: z.boolean().default(false).describe('gc says what it would remove, and removes nothing.'),
});

export type StoreOptions = z.output<typeof storeOptionsSchema>;
