import { z } from 'zod';
import { deviceOptions } from '../device/options';

export const pgoAppUseOptionsSchema = z.object({
  app: z.string().default('.').describe('Folder of the app: the one with kernloop.json, or a folder below it.'),
  ...deviceOptions,
  rounds: z
    .int()
    .min(2)
    .max(1000)
    .default(5)
    .describe(
      'On hardware, how often each build is run, in turns: a build is kept where its slowest run is faster than the fastest of the others.',
    ),
  timeLimitSeconds: z.number().min(0).default(0).describe('End each run of the app after this time; 0 is no limit.'),
});

export type PgoAppUseOptions = z.output<typeof pgoAppUseOptionsSchema>;
