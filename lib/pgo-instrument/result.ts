import { z } from 'zod';

export const pgoInstrumentResultSchema = z.object({
  kernel: z.string(),
  code_object: z.string().describe('The instrumented code, absolute.'),
  code_object_sha256: z.string(),
  compiler: z.string(),
  functions: z.int().describe('Functions with counters.'),
  counters: z.int(),
  up_to_date: z.boolean().describe('It was there already, from the same sources, options and compiler.'),
});

export type PgoInstrumentResult = z.output<typeof pgoInstrumentResultSchema>;
