import { z } from 'zod';
import { sourceLanguages } from '../reproducer/kernel-json';
import { noSourceSchema } from '../source/no-source-json';

export const generateResultSchema = z.object({
  kernel: z.string(),
  pristine: z.string().describe('The folder that was written, absolute.'),
  language: z.enum(sourceLanguages),
  source: z
    .string()
    .nullable()
    .describe('The file that defines the kernel, relative to the workspace; null without source.'),
  files: z.array(z.string()).describe('What was written, relative to the folder.'),
  identical: z
    .boolean()
    .nullable()
    .describe('Whether the untouched source compiles to the very code object that was captured; null without source.'),
  same_machine_code: z
    .boolean()
    .nullable()
    .describe(
      'Whether the kernel is at least the same down to its instructions; always where it is identical, else looked at for CUDA, and for HIP kernels that are compiled alone.',
    ),
  notes: z.array(z.string()),
  no_source: noSourceSchema.nullable().describe('Why there is no source; null where there is.'),
});

export type GenerateResult = z.output<typeof generateResultSchema>;
