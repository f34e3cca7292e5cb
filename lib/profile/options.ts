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
  top: z.int().min(1).default(20).describe('How many kernels to print. The file has all of them.'),
});

export type ProfileOptions = z.output<typeof profileOptionsSchema>;
