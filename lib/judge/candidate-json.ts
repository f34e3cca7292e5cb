import { z } from 'zod';
import { configurationSchema } from '../reproducer/configuration';

/** Bounds of one candidate; what exceeds them is refused, not cut. */
export const bounds = {
  files: 64,
  nameCharacters: 240,
  /** UTF-8 bytes of all files together. */
  bytes: 4 * 1024 * 1024,
  /** Bytes of one candidate as JSON, in which a byte of text may take six. */
  jsonBytes: 25 * 1024 * 1024,
} as const;

/** Names of files and folders of the judge are made of it, so it has no dots and no slashes. */
export const idSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'must be letters, digits, - and _, at most 64, a letter or digit first');

/** A variant to judge: the files in which it differs from the reproducer. */
export const candidateSchema = z
  .strictObject({
    schema: z.literal('kernloop.candidate/1').default('kernloop.candidate/1'),
    id: idSchema.optional().describe('Name of the candidate, unique in the judge. Default: a random one.'),
    kernel: z
      .string()
      .max(200)
      .optional()
      .describe('Kernel that it is a variant of, as the judge names it. Default: the only one that is judged.'),
    files: z
      .record(z.string().min(1).max(bounds.nameCharacters), z.string())
      .refine((files) => Object.keys(files).length <= bounds.files, `at most ${bounds.files} files`)
      .describe(
        'Text of files that replace those of the reproducer, or come beside them, by relative path: "kernel_variant.hip", "deps/…".',
      ),
    configuration: configurationSchema
      .optional()
      .describe('Macros and launch of a C++ variant, in place of those in kernel.json.'),
    limits: z
      .strictObject({
        compile_seconds: z.number().positive().optional(),
        run_seconds: z.number().positive().optional().describe('Of one replay, with the restoring of memory.'),
        memory_bytes: z
          .int()
          .min(64 * 1024 * 1024)
          .optional()
          .describe('Of the compilation: all its processes together.'),
      })
      .optional()
      .describe('Limits below those of the judge. One above is refused.'),
    priority: z
      .int()
      .min(-100)
      .max(100)
      .default(0)
      .describe('Candidates of a higher priority are judged first; among equals, groups take turns.'),
    label: z.string().max(200).optional().describe('Words that come back with the verdict.'),
  })
  .meta({ title: 'candidate', description: 'A variant of a kernel, for `kernloop judge`.' });

export type Candidate = z.output<typeof candidateSchema>;
/** A candidate as it is sent. */
export type CandidateInput = z.input<typeof candidateSchema>;

/** UTF-8 bytes of the files. */
export const bytesOf = ({ files }: Pick<Candidate, 'files'>): number =>
  Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
