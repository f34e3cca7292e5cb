import { z } from 'zod';

export const unpackOptionsSchema = z.object({
  file: z.string().min(1).describe('File that `kernloop pack` wrote.'),
  to: z
    .string()
    .min(1)
    .default('.')
    .describe(
      'Reproducer to unpack into (as its capture/), or a new folder. Default: the working folder if it is a reproducer or empty, otherwise a folder in it named after the file.',
    ),
});

export type UnpackOptions = z.output<typeof unpackOptionsSchema>;
