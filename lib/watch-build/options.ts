import { z } from 'zod';

export const watchBuildOptionsSchema = z.object({
  app: z.string().default('.').describe('Folder of the app: where kernloop.json is, or any folder below it.'),
  command: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Command that builds the app, run in its folder. Give it after --: `kernloop watch-build -- make -j8`. Default: "build" of kernloop.json.',
    ),
});

export type WatchBuildOptions = z.output<typeof watchBuildOptionsSchema>;
