import { z } from 'zod';
import { deviceOptions } from '../device/options';

export const pgoAppGenerateOptionsSchema = z.object({
  app: z.string().default('.').describe('Folder of the app: where kernloop.json is, or any folder below it.'),
  ...deviceOptions,
  timeLimitSeconds: z.number().min(0).default(0).describe('End the app after this time. 0: no limit.'),
});

export type PgoAppGenerateOptions = z.output<typeof pgoAppGenerateOptionsSchema>;
