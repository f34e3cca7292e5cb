import { z } from 'zod';
import { kernelCaptureSchema } from '../capture/result';
import { generateResultSchema } from '../generate/result';

const files = z.array(z.string());

export const adoptResultSchema = z.object({
  reproducer: z.string().describe('Absolute.'),
  written: files.describe('Files that were not there and now are, relative to the reproducer.'),
  updated: files.describe('kernel.json, where it named an older code object of the same kernel as the captured one.'),
  different: files.describe('Files that differ from pristine/ and were left as they are.'),
  reset: files.describe('Files that differed and were brought back.'),
});

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
  exitCode: z.int().describe('Of the app, where it ran; 0 where every capture was there.'),
});

export type AdoptResult = z.output<typeof adoptResultSchema>;
export type ExtractedKernel = z.output<typeof extractedKernelSchema>;
export type ExtractResult = z.output<typeof extractResultSchema>;
