import { z } from 'zod';
import { selfcheckSchema } from './capture-files';
import { appProcessSchema, processNameSchema } from './processes';

const count = z.number().nonnegative();
const dimensions = z.array(count);

export const kernelCaptureSchema = z.object({
  name: z.string().describe('Name of the entry in kernloop.json.'),
  kernel: z.string(),
  ordinal: count.describe('Of the dispatch, among those that matched.'),
  output: z.string().describe('Folder of the capture, absolute.'),
  regions: count,
  bytesRaw: count.describe('Memory before the dispatch, and what of the memory after it differs.'),
  bytesStored: count.describe('What that takes on the disk.'),
  bytesTracked: count.describe('Device memory that the app held.'),
  gridBlocks: dimensions,
  blockThreads: dimensions,
  waveInstructions: count.nullable().describe('Of the captured dispatch; null on hardware.'),
  scope: z.string(),
  process: processNameSchema.nullable().describe('Whose dispatch it is.'),
  selfcheck: selfcheckSchema.nullable().describe('Null where the self-check was switched off.'),
});

export const captureResultSchema = z.object({
  app: z.string(),
  captures: z.array(kernelCaptureSchema),
  processes: z
    .array(appProcessSchema)
    .describe('Those of the last run of the app that loaded the runtime of the device; of many, the first 256.'),
  appExitCode: z.int().describe('Of the last run of the app.'),
  exitCode: z.int().describe('That of the app: it may have failed after the captures, which stay.'),
});

export type KernelCapture = z.output<typeof kernelCaptureSchema>;
export type CaptureResult = z.output<typeof captureResultSchema>;
