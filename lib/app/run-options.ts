import { z } from 'zod';
import { deviceOptions } from '../device/options';

/** Options of every stage that runs the app. */
export const appRunOptions = {
  app: z.string().default('.').describe('Folder of the app: the one with kernloop.json, or a folder below it.'),
  ...deviceOptions,
  build: z.boolean().default(true).describe("Run the app's build command first."),
  lingerSeconds: z
    .number()
    .min(0)
    .default(10)
    .describe(
      'Seconds to wait for processes of the app that go on after its command has ended; less where all is captured before.',
    ),
  timeLimitSeconds: z.number().min(0).default(0).describe('End the app after this time; 0 is no limit.'),
};
