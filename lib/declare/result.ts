import { z } from 'zod';
import { kernelEntrySchema } from '../app/kernloop-json';

export const declareResultSchema = z.object({
  file: z.string().describe('The kernloop.json, absolute.'),
  app: z.string(),
  declared: z.object(kernelEntrySchema.shape).describe('The kernel, with the defaults of its selection.'),
  reproducer: z.string().describe('Folder that extract makes of it, absolute.'),
  launched: z
    .array(z.string())
    .nullable()
    .describe('Kernels of the last profile that it matches; null without a profile, and with wholeName.'),
});

export type DeclareResult = z.output<typeof declareResultSchema>;
