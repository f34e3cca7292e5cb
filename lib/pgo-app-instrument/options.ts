import { z } from 'zod';
import { instrumentingOptions } from '../pgo-instrument/options';

/** Options of stages that build an app again with the commands of its own build. */
export const rebuildingOptions = {
  app: z.string().default('.').describe('Folder of the app: where kernloop.json is, or any folder below it.'),
  linkArgument: z
    .array(z.string().min(1))
    .default([])
    .describe("More linker arguments, if those in CMake's link.txt are not enough: -lname, or a library file."),
  compileLimitSeconds: z.number().positive().default(600).describe('End each compilation after this time.'),
} as const;

export const pgoAppInstrumentOptionsSchema = z.object({
  ...rebuildingOptions,
  ...instrumentingOptions,
  sample: z
    .string()
    .regex(/^(all|(blocks|launches|sparse):([1-9]\d*))$/, 'must be "all", "blocks:N", "launches:N" or "sparse:N"')
    .default('sparse:32')
    .describe(
      'Who counts. all: every workgroup. blocks:N: one workgroup in N (a power of two). launches:N: one launch in N. sparse:N: one workgroup in N of the first 4,096 launches, then of one launch in 8. The others run a copy without counters.',
    ),
});

export type PgoAppInstrumentOptions = z.output<typeof pgoAppInstrumentOptionsSchema>;
