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
      "Wait so long for processes that go on after the app's command has ended, unless all is captured before.",
    ),
  timeLimitSeconds: z.number().min(0).default(0).describe('End the app after this time; 0 is no limit.'),
};
