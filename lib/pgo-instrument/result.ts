import { z } from 'zod';

export const pgoInstrumentResultSchema = z.object({
  kernel: z.string(),
  codeObject: z.string().describe('The instrumented code, absolute.'),
  codeObjectSha256: z.string(),
  compiler: z.string(),
  functions: z.int().describe('Functions with counters.'),
  counters: z.int(),
  upToDate: z.boolean().describe('It was there already, from the same sources, options and compiler.'),
});

export type PgoInstrumentResult = z.output<typeof pgoInstrumentResultSchema>;
