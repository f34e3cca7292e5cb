import { z } from 'zod';

export const watchBuildResultSchema = z.object({
  app: z.string(),
  database: z.string().describe('Absolute: the compile database.'),
  compiled: z.int().describe('Compilations of this build that are in it.'),
  kept: z.int().describe('Those of earlier builds, of files that are still there and were not compiled now.'),
  device_units: z.int().describe('Those of all that have device code.'),
});

export type WatchBuildResult = z.output<typeof watchBuildResultSchema>;
