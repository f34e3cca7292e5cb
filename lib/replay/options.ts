import { z } from 'zod';
import { deviceOptions } from '../device/options';
import { hotSpotOrders } from './hot-spot-json';
import { overrideOptions } from './overrides';

/** Options that every stage that replays a capture has. */
export const replayingOptions = {
  reproducer: z
    .string()
    .default('.')
    .describe('Folder of the reproducer: where kernel.json is, or any folder below it.'),
  variant: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Code object to run instead of the captured one, relative to the reproducer. "none": the captured one. Default: what recompile built, or the captured one if nothing was edited.',
    ),
  capture: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Which captured dispatches to run, if there are several: their numbers ("2", "1,4"; see captures/), or "all". Default: validate runs all, replay runs the one in capture/.',
    ),
  ...deviceOptions,
  softgpu: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Target that the software GPU presents: gfx90a, gfx1030, gfx942 or gfx1100. If left out, that of the capture.',
    ),
  store: z
    .string()
    .optional()
    .describe("Chunk store to search first, before KERNLOOP_STORE and the workspace's .kernloop/store."),
  limitFactor: z
    .number()
    .min(1)
    .default(10)
    .describe(
      'On the software GPU, end a replay once it executes this many times the wave-instructions of the captured dispatch (at least 20 million) and no workgroup has come to its end, or 16 times that in all.',
    ),
  launch: z
    .enum(['direct', 'hip'])
    .optional()
    .describe(
      'Who launches the kernel, on softgpu and hsa. direct (default): Kernloop, through its own queue. hip: the HIP runtime, so that hidden arguments have working services behind them.',
    ),
  guard: z
    .boolean()
    .default(false)
    .describe(
      'Make memory around the captured regions inaccessible, so that out-of-bounds accesses fault: to the byte on the software GPU, to the granule on hardware (stray writes within a granule are found afterwards).',
    ),
  limitSeconds: z.number().min(0.001).default(60).describe('On hardware, end a replay after this time.'),
};

/** Option of the stages that replay the user's edit. `runStage` of lib/stages does the work. */
export const editOptions = {
  recompile: z
    .boolean()
    .default(true)
    .describe(
      'Recompile the kernel first if it was edited since the last build. With --no-recompile an edit that is not built is an error. A task of Nx never does it: the task recompile runs before it.',
    ),
};

export const replayOptionsSchema = z.object({
  ...replayingOptions,
  ...editOptions,
  compare: z
    .boolean()
    .default(false)
    .describe(
      'Replay the captured code and the variant in turns, and show both. Says whether each leaves in memory what the app computed and, on hardware, whether the variant is faster, slower or not measurably different.',
    ),
  iterations: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('How many measured replays. Default: 1 on the software GPU, 30 on hardware.'),
  warmup: z
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe('How many replays to make before measuring. Default: none on the software GPU, 3 on hardware.'),
  cache: z
    .enum(['warm', 'cold', 'as-is'])
    .optional()
    .describe(
      'State of the caches when the kernel starts, on hardware. warm (default on cuda): as the same launch just before left them, as in a loop. cold: nothing of it. as-is (default on hsa): as restoring memory left them. The software GPU has no caches.',
    ),
  seed: z.int().min(0).optional().describe('Seed for the order of waves on the software GPU. Default: 1.'),
  threads: z
    .int()
    .min(1)
    .optional()
    .describe('Host threads for the software GPU. One thread gives the same order every time.'),
  ...overrideOptions,
  hotSpots: z
    .boolean()
    .default(false)
    .describe(
      'Show the most expensive source lines, or instructions if there is no line information. Software GPU only.',
    ),
  hotSpotsBy: z
    .enum(hotSpotOrders)
    .default('executed')
    .describe(
      'How to rank hot spots: wave-instructions, active lanes, memory transactions, LDS conflicts, divergent splits of a wave, bytes of private memory, or branches (instructions that split waves, by number of splits).',
    ),
  explain: z
    .boolean()
    .default(false)
    .describe(
      'Say what limits the kernel and what to try: only what exact counts of the software GPU or the code object prove, each with its figure and, where the code has line information, its source line.',
    ),
  dump: z
    .string()
    .optional()
    .describe(
      'Write device memory to this folder: a raw file for each region and module variable, and dump.json. Never overwrites a file.',
    ),
  dumpOnly: z.array(z.string().min(1)).default([]).describe('Dump only these regions and module variables.'),
  dumpTime: z
    .enum(['post', 'pre'])
    .optional()
    .describe('Dump memory after the dispatch (post, the default) or before it (pre).'),
  lens: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File that lists the parts of the variant that belong to a lens and not to the kernel: module variables, buffers, added parameters. They are reset before each replay, read after the last and never compared. The hang limit is ten times as high.',
    ),
  lensOutput: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder for the contents of the lens after the last replay: raw files and lens.json. Never overwrites a file.',
    ),
});

export type ReplayOptions = z.output<typeof replayOptionsSchema>;
export type ReplayingOptions = Pick<ReplayOptions, keyof typeof replayingOptions>;
