import { z } from 'zod';

export const pgoAppInstrumentResultSchema = z.object({
  app: z.string(),
  program: z.string().describe('The instrumented program, absolute.'),
  compiler: z.string(),
  units: z.int().describe('Files that were compiled.'),
});

export type PgoAppInstrumentResult = z.output<typeof pgoAppInstrumentResultSchema>;
