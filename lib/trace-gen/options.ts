import { z } from 'zod';

export const languages = ['typescript', 'python', 'c'] as const;
export type Language = (typeof languages)[number];

export const traceGenOptionsSchema = z.object({
  probe: z.string().min(1).default('probe.toml').describe('The probe.toml of the traces to read.'),
  language: z
    .enum(languages)
    .default('python')
    .describe('Language of the reader. Python needs NumPy; the others need nothing.'),
  output: z
    .string()
    .min(1)
    .optional()
    .describe('File to write. Default: `read_trace` with the extension of the language, in the working folder.'),
});

export type TraceGenOptions = z.output<typeof traceGenOptionsSchema>;
