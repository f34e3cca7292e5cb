import { z } from 'zod';
import { nameSchema } from '../../lib/app/kernloop-json';
import { generateOptionsSchema } from '../../lib/generate/options';

const { translationUnit, define, language, compileLimitSeconds } = generateOptionsSchema.shape;

export const reproducerOptionsSchema = z.object({
  capture: z.string().describe('Folder of a capture: the one with capture.json, relative to the workspace.'),
  app: z.string().default('.').describe('Folder of the app that it is of, relative to the workspace.'),
  name: nameSchema.optional().describe("Name of the kernel; the kernel's own function name if left out."),
  ...{ translationUnit, define, language, compileLimitSeconds },
});

export type ReproducerOptions = z.input<typeof reproducerOptionsSchema>;
