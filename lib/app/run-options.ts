import { z } from 'zod';
import { deviceOptions } from '../device/options';

/** Options of every stage that runs the app. */
export const appRunOptions = {
  app: z.string().default('.').describe('Folder of the app: where kernloop.json is, or any folder below it.'),
  ...deviceOptions,
  build: z.boolean().default(true).describe("Run the app's build command first."),
  lingerSeconds: z
    .number()
    .min(0)
    .default(10)
    .describe(
      'How many seconds to wait for processes that the app left running. Ends sooner once everything is captured.',
    ),
  timeLimitSeconds: z.number().min(0).default(0).describe('End the app after this time. 0: no limit.'),
};

/** Option of the stages of an app that also take a program without a kernloop.json. */
export const command = z
  .array(z.string().min(1))
  .default([])
  .describe(
    'Program and arguments to run in the folder, which then needs no kernloop.json. Give them after --: `kernloop profile -- ./demo args`.',
  );
