import { z } from 'zod';

export const watchBuildOptionsSchema = z.object({
  app: z.string().default('.').describe('Folder of the app: the one with kernloop.json, or a folder below it.'),
  command: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'What builds the app, run in its folder, as words behind --: `kernloop watch-build -- make -j8`; "build" of kernloop.json if left out.',
    ),
});

export type WatchBuildOptions = z.output<typeof watchBuildOptionsSchema>;
