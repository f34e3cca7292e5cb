import { z } from 'zod';

export const storeOptionsSchema = z.object({
  action: z
    .enum(['verify', 'gc', 'stats'])
    .describe(
      'verify: read and hash every chunk. gc: remove what no capture needs. stats: say what the store holds, and for which captures.',
    ),
  workspace: z.string().default('.').describe('Any folder of the workspace.'),
  store: z.string().optional().describe("Chunk store. Default: the workspace's .kernloop/store."),
  captureRoot: z
    .array(z.string().min(1))
    .default([])
    .describe('Another folder with captures that use the store, such as a second workspace.'),
  graceHours: z
    .number()
    .min(0)
    .max(24 * 366)
    .default(24)
    .describe('gc keeps chunks that a capture wrote or reused within this time.'),
  keepCached: z
    .boolean()
    .default(true)
    .describe("gc also keeps chunks of captures in Nx's cache (.nx), because Nx may restore them."),
  dryRun: z.boolean().default(false).describe('gc says what it would remove. It removes nothing.'),
});

export type StoreOptions = z.output<typeof storeOptionsSchema>;
