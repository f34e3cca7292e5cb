import { z } from 'zod';

export const doctorOptionsSchema = z.object({
  app: z.string().optional().describe('Also look at this app: whether the capture agent would get into its processes.'),
});

export type DoctorOptions = z.output<typeof doctorOptionsSchema>;
