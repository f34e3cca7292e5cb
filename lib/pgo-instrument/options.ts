import { z } from 'zod';

/** A reproducer replays one dispatch: sampling gains nothing, unless sampling itself is to be examined. */
const sample = z
  .string()
  .regex(/^(all|blocks:([1-9]\d*))$/, 'must be "all" or "blocks:N"')
  .default('all');

const sampleOfApp = z
  .string()
  .regex(/^(all|(blocks|launches|sparse):([1-9]\d*))$/, 'must be "all", "blocks:N", "launches:N" or "sparse:N"')
  .default('sparse:32');

/** The sampling of either subject. */
export const sampleOfEither = z
  .string()
  .optional()
  .describe(
    'Who counts. all: every workgroup. blocks:N: one workgroup in N (a power of two), chosen by a hash of its position. For an app also launches:N: one launch in N; and sparse:N: one workgroup in N of the first 4,096 launches, then of one launch in 8. The others run a copy without counters. Default: all; for an app, sparse:32.',
  );

const counting = {
  slots: z
    .int()
    .min(1)
    .max(65536)
    .default(256)
    .describe(
      'Copies of each counter, a power of two. More copies mean less waiting between waves. Merging adds them up.',
    ),
  uniform: z
    .enum(['branch', 'full-mask'])
    .default('branch')
    .describe(
      'When a block is uniform. branch: every lane that was at the branch before it reaches it. full-mask: a full wave reaches it, as in the RFC.',
    ),
  skipGuards: z
    .boolean()
    .default(false)
    .describe('Leave out kernels without branches, and kernels whose only branch guards everything else.'),
} as const;

export const compileLimitSeconds = z.number().positive().default(600).describe('End each compilation after this time.');

/** More of what stages need that build an app again with the commands of its own build. */
export const linkArgument = z
  .array(z.string().min(1))
  .default([])
  .describe("More linker arguments, if those in CMake's link.txt are not enough: -lname, or a library file.");

export const instrumentReproducerSchema = z.object({
  reproducer: z.string().default('.'),
  ...{ sample, ...counting, compileLimitSeconds },
});

export const instrumentAppSchema = z.object({
  app: z.string().default('.'),
  ...{ linkArgument, compileLimitSeconds, sample: sampleOfApp, ...counting },
});

export type InstrumentReproducerOptions = z.output<typeof instrumentReproducerSchema>;
export type InstrumentAppOptions = z.output<typeof instrumentAppSchema>;
