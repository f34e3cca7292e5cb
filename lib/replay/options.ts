import { z } from 'zod';
import { deviceOptions } from '../device/options';
import { hotSpotOrders } from './hot-spot-json';
import { overrideOptions } from './overrides';

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
  capture: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Which captured dispatches, where the reproducer holds several: their numbers ("2", "1,4"; captures/<number>), or "all" of its kernel. If left out, validate takes all, and replay the one in capture/.',
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
  launch: z
    .enum(['direct', 'hip'])
    .optional()
    .describe(
      'On softgpu and hsa, who launches: this program into a queue of its own (direct, if left out), or the HIP runtime, which fills hidden arguments with services behind them.',
    ),
  guard: z
    .boolean()
    .default(false)
    .describe(
      'Close what lies around the captured regions to the kernel, so that an access there faults: every byte on the software GPU, whole granules on hardware, where writes inside of them are found afterwards.',
    ),
  limitSeconds: z.number().min(0.001).default(60).describe('On hardware, end a replay after this time.'),
};

export const replayOptionsSchema = z.object({
  ...replayingOptions,
  compare: z
    .boolean()
    .default(false)
    .describe(
      'Replay the captured code as well, in turns with the variant, and show both, and whether each leaves in memory what the app computed; on hardware also whether the variant is faster, slower or neither measurably.',
    ),
  iterations: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe(
      'How often the dispatch is replayed and measured; if left out, once on the software GPU and 30 times on hardware.',
    ),
  warmup: z
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe('Replays before the counted ones; if left out, none on the software GPU and 3 on hardware.'),
  cache: z
    .enum(['warm', 'cold', 'as-is'])
    .optional()
    .describe(
      'On hardware, what the caches hold when the kernel starts: what a launch of it directly before left there, as in a loop of the app (warm; on cuda, if left out); nothing of it (cold); or what restoring left there (as-is; on hsa, if left out). The software GPU has no caches.',
    ),
  seed: z.int().min(0).optional().describe('Wave order of the software GPU; 1 if left out.'),
  threads: z.int().min(1).optional().describe('Host threads of the software GPU; one gives the same order each time.'),
  ...overrideOptions,
  hotSpots: z
    .boolean()
    .default(false)
    .describe(
      'On the software GPU, show the lines of the source, or where the code has no line information the instructions, that did most.',
    ),
  hotSpotsBy: z
    .enum(hotSpotOrders)
    .default('executed')
    .describe(
      'What hot spots are ordered by: wave-instructions, active lanes, memory transactions, LDS conflicts, splits of a wave by control flow, bytes of private memory; or the instructions that branch or split a wave, each of its own, by the splits (branches).',
    ),
  dump: z
    .string()
    .optional()
    .describe(
      'Write device memory into this folder: a raw file for each region and module variable, and dump.json; never over a file.',
    ),
  dumpOnly: z.array(z.string().min(1)).default([]).describe('Dump these regions and module variables only.'),
  dumpTime: z
    .enum(['post', 'pre'])
    .optional()
    .describe('Dump what the dispatch left (post, if left out) or what it started from.'),
  lens: z
    .string()
    .min(1)
    .optional()
    .describe(
      "File that names what of the variant is a lens's and not the kernel's: module variables, buffers, added parameters. It is put back before each replay, read back after the last one and never judged; the limit of a hang is ten times as far.",
    ),
  lensOutput: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder for what the lens held after the last replay, a raw file each, and lens.json; never over a file.',
    ),
});

export type ReplayOptions = z.output<typeof replayOptionsSchema>;
export type ReplayingOptions = Pick<ReplayOptions, keyof typeof replayingOptions>;
