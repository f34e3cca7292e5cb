import { z } from 'zod';
import { adoptResultSchema } from '../adopt/result';
import { kernelCaptureSchema } from '../capture/result';
import { generateResultSchema } from '../generate/result';

const extractedKernelSchema = z.object({
  name: z.string(),
  reproducer: z.string().describe('Absolute.'),
  capture: kernelCaptureSchema.nullable().describe('Null where a capture was there already.'),
  generated: generateResultSchema,
  adopted: adoptResultSchema,
});

export const extractResultSchema = z.object({
  app: z.string(),
  kernels: z.array(extractedKernelSchema),
  exit_code: z.int().describe('Of the app, where it ran; 0 where every capture was there.'),
});

export type ExtractedKernel = z.output<typeof extractedKernelSchema>;
export type ExtractResult = z.output<typeof extractResultSchema>;
