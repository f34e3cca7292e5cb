import { z } from 'zod';
import { nameSchema } from '../../lib/app/kernloop-json';
import { generateOptionsSchema } from '../../lib/generate/options';

const { translationUnit, define, language, compileLimitSeconds } = generateOptionsSchema.shape;

const important = { 'x-priority': 'important' };

/** Keys with `x-` are Nx's, like those of `app`. */
export const reproducerOptionsSchema = z.object({
  capture: z.string().meta({
    description: 'Folder of a capture: the one with capture.json, relative to the workspace.',
    'x-prompt': 'Which folder holds the capture (capture.json), relative to the workspace?',
    ...important,
  }),
  app: z
    .string()
    .default('.')
    .meta({
      description: 'Folder of the app that it is of, relative to the workspace.',
      'x-prompt': 'In which folder is the app that it is of (kernloop.json), relative to the workspace?',
      ...important,
    }),
  name: nameSchema
    .optional()
    .meta({ description: "Name of the kernel; the kernel's own function name if left out.", ...important }),
  translationUnit,
  define,
  language,
  compileLimitSeconds: compileLimitSeconds.meta({ 'x-priority': 'internal' }),
});

export type ReproducerOptions = z.input<typeof reproducerOptionsSchema>;
