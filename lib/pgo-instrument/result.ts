import { z } from 'zod';

export const instrumentedReproducerSchema = z.object({
  subject: z.literal('reproducer'),
  kernel: z.string(),
  code_object: z.string().describe('The instrumented code, absolute.'),
  code_object_sha256: z.string(),
  compiler: z.string(),
  functions: z.int().describe('Functions with counters.'),
  counters: z.int(),
  up_to_date: z.boolean().describe('It was there already, from the same sources, options and compiler.'),
});

export const instrumentedAppSchema = z.object({
  subject: z.literal('app'),
  app: z.string(),
  program: z.string().describe('The instrumented program, absolute.'),
  compiler: z.string(),
  units: z.int().describe('Files that were compiled.'),
});

export type InstrumentedReproducer = z.output<typeof instrumentedReproducerSchema>;
export type InstrumentedApp = z.output<typeof instrumentedAppSchema>;
