import { z } from 'zod';
import { nameSchema } from '../app/kernloop-json';
import { languageNames } from '../language/language';

export const generateOptionsSchema = z.object({
  app: z.string().default('.').describe('Folder of the app: the one with kernloop.json, or a folder below it.'),
  kernel: nameSchema.describe('Kernel of kernloop.json whose capture is read.'),
  translationUnit: z
    .string()
    .optional()
    .describe('Source file that is compiled for the kernel, relative to the app, where several define it.'),
  define: z
    .array(z.string().regex(/^[A-Za-z_]\w*(\([\w, .]*\))?(=[^]*)?$/, 'not NAME or NAME=VALUE'))
    .default([])
    .describe('Macro to define when the source is compiled, beside those of the build: NAME or NAME=VALUE.'),
  language: z
    .enum(languageNames)
    .optional()
    .describe(
      'Language of the kernel, where it is not what it is taken for: hip or cuda search the C++ sources, triton takes what Triton was seen to compile in the app.',
    ),
  compileLimitSeconds: z.number().positive().default(600).describe('End a compilation after this time.'),
});

type Parsed = z.output<typeof generateOptionsSchema>;

/** A caller in TypeScript may leave out what is empty. */
export type GenerateOptions = Omit<Parsed, 'define'> & Partial<Pick<Parsed, 'define'>>;
