import { z } from 'zod';
import { deviceOptions } from '../device/options';
import { compileLimitSeconds } from '../pgo-instrument/options';
import { gates } from '../pgo/layout';

export const pgoRuntimeOptionsSchema = z.object({
  app: z.string().default('.').describe('Folder of the app: where kernloop.json is, or any folder below it.'),
  ...deviceOptions,
  phase: z
    .enum(['auto', 'measure', 'production', 'build'])
    .default('auto')
    .describe(
      'auto: measure code that has no profile, then run with the profile, and measure again if the workload changes. measure: count every launch and use no profile. production: use earlier builds and count nothing. build: run nothing; compile what a machine without clang measured, from its copied folder .kernloop/pgo/runtime.',
    ),
  measureLaunches: z
    .int()
    .min(1)
    .default(16)
    .describe('How many launches of a kernel to count before building code from its profile.'),
  sampleOneIn: z
    .int()
    .min(0)
    .default(64)
    .describe('In production, count one launch in this many, to see whether the workload has changed. 0: never.'),
  window: z.int().min(1).default(4).describe('How many counted launches to compare with the profile at a time.'),
  bound: z
    .number()
    .min(0)
    .max(100)
    .default(5)
    .describe('How far they may be from the profile, in percent: half the sum of the differences in shares.'),
  gate: z
    .array(z.enum(gates))
    .min(1)
    .default([...gates])
    .describe('Spill-placement gates to build. The static scores choose one.'),
  compileLimitSeconds,
  timeLimitSeconds: z.number().min(0).default(0).describe('End the app after this time. 0: no limit.'),
});

export type PgoRuntimeOptions = z.output<typeof pgoRuntimeOptionsSchema>;
