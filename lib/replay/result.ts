import { z } from 'zod';
import { explanationSchema } from '../advice/advice-json';
import { conditionsSchema } from './conditions';
import { keptStateSchema } from './kept-state';
import { hotSpotsSchema } from './hot-spot-json';
import { cachesSchema, guardSchema, overriddenSchema, sideSchema } from './replay-events';
import { count } from '../support/count';

const intervalSchema = z.object({ low: z.number(), high: z.number() });

const statisticsSchema = z.object({
  count,
  min: z.number(),
  p10: z.number(),
  median: z.number(),
  p90: z.number(),
  max: z.number(),
  spread: z.number().describe('Half the distance between the quartiles.'),
  ci95: intervalSchema
    .nullable()
    .describe('95% confidence interval of the median; null for fewer than six samples, which cannot give one.'),
});

const measured = {
  conditions: conditionsSchema
    .nullable()
    .default(null)
    .describe(
      'Clocks, temperature and what slowed the device down, after each timed launch; null where nothing tells.',
    ),
  duration_ns: statisticsSchema
    .nullable()
    .describe('Nanoseconds of GPU time. On hardware only: time on the software GPU says nothing about a GPU.'),
  samples: z.array(count).describe('Each measured time in nanoseconds, in the order of the replays; hardware only.'),
  timer: z
    .string()
    .nullable()
    .describe(
      'What took the time, where the device says: "cupti", the kernel alone; "events", between events around its launch; "software-gpu", an emulated device, whose times say nothing about a GPU.',
    ),
  counters: z.record(z.string(), statisticsSchema).describe('On the software GPU: what was executed.'),
  hot_spots: hotSpotsSchema.nullable().describe('With --hot-spots, of the last replay.'),
  explanation: explanationSchema
    .nullable()
    .default(null)
    .describe('With --explain, of the last replay: what limits the kernel.'),
};

const measuredSchema = z.object(measured);

const speedSchema = z.object({
  verdict: z.enum(['faster', 'slower', 'no measurable difference', 'undecided']),
  ratio: z.number().describe('Time of the variant over that of the captured code: the median of what the rounds gave.'),
  ci95: intervalSchema
    .nullable()
    .describe(
      '95% confidence interval of the ratio; null for fewer than six rounds or three processes, or if the clock steps by half of a launch.',
    ),
  rounds: count.describe('Samples of the ratio: two launches of each side, in the order ABBA or BAAB.'),
  processes: count,
  clock_step_ns: count
    .optional()
    .describe(
      'The smallest distance of two times. The interval has that much room for each side. Not in results of older versions.',
    ),
});

const lensContentSchema = z.object({ name: z.string(), file: z.string(), bytes: count });
const lensSchema = z.object({
  folder: z.string(),
  bytes: count.describe('Of all of it: read back, and in no verdict.'),
  variables: z.array(lensContentSchema),
  buffers: z.array(lensContentSchema),
});

const checkedSchema = z.object({
  compared_bytes: count,
  differing_bytes: count.describe('In the launch that differed most.'),
  launches: count.default(1).describe('Whose result was looked at: a first one, and every timed one.'),
  wrong_launches: count.default(0).describe('That left something else in memory than the app computed.'),
  state: keptStateSchema.nullable(),
});
const checkSchema = z.object({ captured: checkedSchema, variant: checkedSchema });

const dispatchResultSchema = z.object({
  kernel: z.string(),
  dispatch: z.int().describe('The number by which the replayed dispatch was selected.'),
  capture: z.string().describe('Its folder, relative to the reproducer.'),
  code: z.string().describe('Which code ran, in words.'),
  verdict: z.enum(['ran', 'fault', 'limit']),
  exit_code: z.int(),
  iterations: count,
  ...measured,
  cache: z
    .string()
    .nullable()
    .describe(
      'What the caches held when the kernel started: "warm", "cold", or what restoring left there ("as-is"); null on the software GPU, which has none.',
    ),
  caches: cachesSchema.nullable().describe('How they were warmed or made cold; null where neither was asked for.'),
  fault: z.string().nullable(),
  stopped: sideSchema
    .nullable()
    .describe(
      'Which code a fault or a limit ended; null where none did. Without --compare always "variant": what is replayed.',
    ),
  restored: z.object({
    regions: count,
    bytes: count,
    dropped_bytes: count.optional().describe('Of the regions, that the capture does not hold (--shrink).'),
    host_bytes: count
      .optional()
      .describe('Size of the regions in memory of the host, where the app had them. On a GPU only.'),
  }),
  overridden: overriddenSchema
    .nullable()
    .describe('What of the launch was not as captured; null for the captured launch.'),
  launch: z.enum(['direct', 'hip']).describe('Who launched: a queue or stream of our own, or the HIP runtime.'),
  guard: guardSchema
    .nullable()
    .describe('What was closed to the kernel around captured memory, in bytes and granules; null without --guard.'),
  lens: lensSchema
    .nullable()
    .describe('What was read back of the lens; null without --lens, and after a fault or a limit.'),
  baseline: measuredSchema.nullable().describe('The captured code, where it was replayed beside a variant.'),
  speed: speedSchema
    .nullable()
    .describe(
      'Whether the variant is faster; null without --compare, on the software GPU, which has no times, and where launches of one side gave different results.',
    ),
  check: checkSchema
    .nullable()
    .describe(
      'What the launches of each left in memory, against what the app computed; null without --compare, and for another launch than the captured one.',
    ),
  doubts: z
    .array(z.string())
    .default([])
    .describe(
      'Why the times may say less than they seem to: clocks that differed, a time that no such device can reach.',
    ),
});

export const replayResultSchema = dispatchResultSchema.extend({
  dispatches: z
    .array(dispatchResultSchema)
    .describe(
      'Of several captured dispatches (--capture), what each gave, by number; what stands above is that of the first, or of the first that faulted. Empty for one.',
    ),
  not_replayed: z
    .array(z.object({ dispatch: z.int(), capture: z.string(), kernel: z.string() }))
    .describe('With --capture all: captures of the same selection, but of another kernel.'),
});

export type Interval = z.output<typeof intervalSchema>;
export type Statistics = z.output<typeof statisticsSchema>;
export type Measured = z.output<typeof measuredSchema>;
export type Check = z.output<typeof checkSchema>;
export type Figured = Omit<Measured, 'hot_spots' | 'conditions' | 'explanation'>;
export type LensResult = z.output<typeof lensSchema>;
export type Speed = z.output<typeof speedSchema>;
export type DispatchResult = z.output<typeof dispatchResultSchema>;
export type ReplayResult = z.output<typeof replayResultSchema>;
