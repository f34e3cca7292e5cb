import { z } from 'zod';
import { deviceOptions } from '../device/options';
import { gates } from '../pgo/layout';

export const pgoRuntimeOptionsSchema = z.object({
  app: z.string().default('.').describe('Folder of the app: the one with kernloop.json, or a folder below it.'),
  ...deviceOptions,
  phase: z
    .enum(['auto', 'measure', 'production', 'build'])
    .default('auto')
    .describe(
      'auto: measure what no profile is known of, then run by it, and measure again when the workload changes; measure: count every launch, and use nothing; production: use what was built before, and count nothing; build: run nothing, and compile what a machine without clang asked for and measured, whose folder .kernloop/pgo/runtime of the app was copied here.',
    ),
  measureLaunches: z
    .int()
    .min(1)
    .default(16)
    .describe('How many launches of a kernel are counted before code is made of them.'),
  sampleOneIn: z
    .int()
    .min(0)
    .default(64)
    .describe(
      'In production the first of so many launches of each kernel is counted, to see whether the workload is still the measured one; 0: none.',
    ),
  window: z.int().min(1).default(4).describe('How many counted launches are compared with the profile at a time.'),
  bound: z
    .number()
    .min(0)
    .max(100)
    .default(5)
    .describe('How far they may be from the profile, in percent: half the sum of the differences of shares.'),
  gate: z
    .array(z.enum(gates))
    .min(1)
    .default([...gates])
    .describe('Which gates of spill placement to build and to choose from, by their static scores.'),
  compileLimitSeconds: z.number().positive().default(600).describe('End each compilation after this time.'),
  timeLimitSeconds: z.number().min(0).default(0).describe('End the app after this time; 0 is no limit.'),
});

export type PgoRuntimeOptions = z.output<typeof pgoRuntimeOptionsSchema>;
