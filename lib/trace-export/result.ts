import { z } from 'zod';
import { timelineResultSchema } from '../timeline/result';
import { exportFormats } from './options';

export const traceExportResultSchema = z.object({
  format: z.enum(exportFormats),
  files: z.array(
    z.object({
      file: z.string(),
      map: z.string(),
      rows: z.int(),
      skipped: z.int().describe('Slots that are all zero, where they were left out.'),
    }),
  ),
  timeline: timelineResultSchema.optional().describe('Of events that kernels recorded.'),
});

export type TraceExportResult = z.output<typeof traceExportResultSchema>;
