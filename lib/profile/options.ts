import { z } from 'zod';
import { appRunOptions, command } from '../app/run-options';

export const profileOptionsSchema = z.object({
  ...appRunOptions,
  command,
  output: z.string().optional().describe('File to write. Default: .kernloop/profile.json of the app.'),
  launches: z
    .boolean()
    .default(false)
    .describe('Also record when each launch ran (the first 20,000), for `kernloop trace export --profile`. CUDA only.'),
  top: z
    .int()
    .min(1)
    .optional()
    .describe('How many kernels to print. The file has all of them. Default: 20, or 3 of a command.'),
});

export type ProfileOptions = z.output<typeof profileOptionsSchema>;
