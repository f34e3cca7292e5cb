import { z } from 'zod';
import { deviceOptions } from '../device/options';

/** Options of every stage that replays a capture. */
export const replayingOptions = {
  reproducer: z
    .string()
    .default('.')
    .describe('Folder of the reproducer: the one with kernel.json, or a folder below it.'),
  variant: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Code object to run in place of the captured one, relative to the reproducer; "none" for the captured one. If left out: what recompile built, or the captured one where nothing was edited.',
    ),
  ...deviceOptions,
  store: z
    .string()
    .optional()
    .describe("Chunk store to look in first; then KERNLOOP_STORE and the workspace's .kernloop/store."),
  limitFactor: z
    .number()
    .min(1)
    .default(10)
    .describe(
      'On the software GPU, end a replay after this multiple of the wave-instructions of the captured dispatch (at least one million).',
    ),
  limitSeconds: z.number().min(0.001).default(60).describe('On hardware, end a replay after this time.'),
};

export const replayOptionsSchema = z.object({
  ...replayingOptions,
  compare: z
    .boolean()
    .default(false)
    .describe('Replay the captured code as well, in turns with the variant, and show both.'),
  iterations: z.int().min(1).max(1_000_000).default(1).describe('How often the dispatch is replayed.'),
  warmup: z.int().min(0).max(1_000_000).default(0).describe('Replays before the counted ones.'),
  seed: z.int().min(0).default(1).describe('Wave order of the software GPU.'),
  threads: z.int().min(1).optional().describe('Host threads of the software GPU; one gives the same order each time.'),
  dump: z.string().optional().describe('Write device memory after the last replay into this folder.'),
});

export type ReplayOptions = z.output<typeof replayOptionsSchema>;
export type ReplayingOptions = Pick<ReplayOptions, keyof typeof replayingOptions>;
