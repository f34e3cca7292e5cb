import { z } from 'zod';
import { appRunOptions } from '../app/run-options';

export const profileOptionsSchema = z.object({
  ...appRunOptions,
  output: z.string().optional().describe('The profile; .kernloop/profile.json of the app if left out.'),
  top: z.int().min(1).default(20).describe('Kernels to print; the file has all of them.'),
});

export type ProfileOptions = z.output<typeof profileOptionsSchema>;
