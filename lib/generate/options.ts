import { z } from 'zod';
import { nameSchema } from '../app/kernloop-json';
import { languageNames } from '../language/language';

export const generateOptionsSchema = z.object({
  app: z.string().default('.').describe('Folder of the app: where kernloop.json is, or any folder below it.'),
  kernel: nameSchema.describe('Kernel to generate files for, by its name in kernloop.json.'),
  translationUnit: z
    .string()
    .optional()
    .describe('Source file to compile the kernel from, if several define it. Relative to the app.'),
  define: z
    .array(z.string().regex(/^[A-Za-z_]\w*(\([\w, .]*\))?(=[^]*)?$/, 'not NAME or NAME=VALUE'))
    .default([])
    .describe('Another macro to compile the source with: NAME or NAME=VALUE.'),
  language: z
    .enum(languageNames)
    .optional()
    .describe(
      'Language of the kernel, if the wrong one was detected. hip and cuda search the C++ sources. triton takes what Triton compiled while the app ran.',
    ),
  compileLimitSeconds: z.number().positive().default(600).describe('End a compilation after this time.'),
});

type Parsed = z.output<typeof generateOptionsSchema>;

/** TypeScript callers may leave out empty lists. */
export type GenerateOptions = Omit<Parsed, 'define'> & Partial<Pick<Parsed, 'define'>>;
