import { z } from 'zod';

export const languages = ['typescript', 'python', 'c'] as const;
export type Language = (typeof languages)[number];

export const traceGenOptionsSchema = z.object({
  probe: z.string().min(1).default('probe.toml').describe('The probe.toml whose traces are to be read.'),
  language: z.enum(languages).default('python').describe('Of the reader: Python needs NumPy, the others nothing.'),
  output: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The file to write; `read_trace` with the extension of the language, in the working folder, if left out.',
    ),
});

export type TraceGenOptions = z.output<typeof traceGenOptionsSchema>;
