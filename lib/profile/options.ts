import { z } from 'zod';
import { appRunOptions } from '../app/run-options';

export const profileOptionsSchema = z.object({
  ...appRunOptions,
  output: z.string().optional().describe('The profile; .kernloop/profile.json of the app if left out.'),
  launches: z
    .boolean()
    .default(false)
    .describe('Keep when each launch ran (the first 20,000), for `kernloop trace export --profile`; CUDA only.'),
  top: z.int().min(1).default(20).describe('Kernels to print; the file has all of them.'),
});

export type ProfileOptions = z.output<typeof profileOptionsSchema>;
