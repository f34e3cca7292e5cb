import { z } from 'zod';
import { deviceOptions } from '../device/options';

export const pgoAppUseOptionsSchema = z.object({
  app: z.string().default('.').describe('Folder of the app: where kernloop.json is, or any folder below it.'),
  ...deviceOptions,
  rounds: z
    .int()
    .min(2)
    .max(1000)
    .default(5)
    .describe(
      'On hardware, how many times to run each build, in turns. A build wins if its slowest run beats the fastest run of the others.',
    ),
  timeLimitSeconds: z.number().min(0).default(0).describe('End each run of the app after this time. 0: no limit.'),
});

export type PgoAppUseOptions = z.output<typeof pgoAppUseOptionsSchema>;
