import { z } from 'zod';
import { selfcheckSchema } from '../archive/capture-files';
import { appProcessSchema, processNameSchema } from '../recorder/processes';
import { count } from '../support/count';

const dimensions = z.array(count);

export const kernelCaptureSchema = z.object({
  name: z.string().describe('Name of the entry in kernloop.json.'),
  kernel: z.string(),
  ordinal: count.describe('Of the dispatch, among those that matched.'),
  output: z.string().describe('Folder of the capture, absolute.'),
  regions: count,
  bytes_raw: count.describe('Memory before the dispatch, and what of the memory after it differs.'),
  bytes_stored: count.describe('What that takes on the disk.'),
  bytes_dropped: count.describe('Of bytes_raw, by --shrink: the capture does not hold them.'),
  bytes_tracked: count.describe('Device memory that the app held.'),
  grid_blocks: dimensions,
  block_threads: dimensions,
  wave_instructions: count.nullable().describe('Of the captured dispatch; null on hardware.'),
  scope: z.string(),
  process: processNameSchema.nullable().describe('Whose dispatch it is.'),
  selfcheck: selfcheckSchema.nullable().describe('Null where the self-check was switched off.'),
});

const plannedRegionSchema = z.object({
  id: z.string().describe('As in the capture; a module variable by its name.'),
  base: z.string(),
  bytes: count,
  class: z.string(),
  api: z.string().describe('The call that allocated it.'),
  reached: z.enum(['arguments', 'region', 'variable', 'all', 'widened']).describe('What led to it.'),
  from: z.string().nullable().describe('The region whose contents led to it.'),
  bytes_changed: count.describe('In chunks of 4 MiB that the dispatch changes: they are stored twice.'),
  bytes_zero: count.describe('Of both states, in chunks of zeros, which take nothing.'),
  bytes_repeated: count.describe('Of both states, in chunks that are stored for another place already.'),
  bytes_stored: count,
});

const capturePlanSchema = z.object({
  name: z.string().describe('Name of the entry in kernloop.json.'),
  kernel: z.string(),
  ordinal: count.describe('Of the dispatch, among those that matched.'),
  scope: z.string(),
  grid_blocks: dimensions,
  block_threads: dimensions,
  regions: z.array(plannedRegionSchema),
  scope_bytes: count.describe('What --max-bytes is compared with: memory before the dispatch.'),
  max_bytes: count.describe('0 is no limit.'),
  fits: z.boolean().describe('False: a capture would be refused.'),
  bytes_raw: count.describe('With what the dispatch changes, and the code object.'),
  bytes_stored: count.describe('What the capture would take on the disk.'),
  bytes_tracked: count.describe('Device memory that the app held.'),
  elapsed_ms: count.describe('Measured: to read, hash and compress it, with the app held. The disk comes on top.'),
});

export const captureResultSchema = z.object({
  app: z.string(),
  captures: z.array(kernelCaptureSchema),
  plans: z.array(capturePlanSchema).describe('With --dry-run, instead of captures.'),
  processes: z
    .array(appProcessSchema)
    .describe('Those of the last run of the app that loaded the runtime of the device; of many, the first 256.'),
  app_exit_code: z.int().describe('Of the last run of the app.'),
  exit_code: z.int().describe('That of the app: it may have failed after the captures, which stay.'),
});

export type CapturePlan = z.output<typeof capturePlanSchema>;
export type KernelCapture = z.output<typeof kernelCaptureSchema>;
export type CaptureResult = z.output<typeof captureResultSchema>;
