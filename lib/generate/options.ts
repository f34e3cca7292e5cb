import { z } from 'zod';
import { nameSchema } from '../app/kernloop-json';

export const generateOptionsSchema = z.object({
  app: z.string().default('.').describe('Folder of the app: the one with kernloop.json, or a folder below it.'),
  kernel: nameSchema.describe('Kernel of kernloop.json whose capture is read.'),
  translationUnit: z
    .string()
    .optional()
    .describe('Source file that is compiled for the kernel, relative to the app, where several define it.'),
  compileLimitSeconds: z.number().positive().default(600).describe('End a compilation after this time.'),
});

export type GenerateOptions = z.output<typeof generateOptionsSchema>;
