import { z } from 'zod';

export const doctorOptionsSchema = z.object({
  app: z.string().optional().describe('Also check this app: can the capture agent get into its processes?'),
});

export type DoctorOptions = z.output<typeof doctorOptionsSchema>;
