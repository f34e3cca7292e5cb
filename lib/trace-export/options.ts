import { z } from 'zod';
import { traceOptions } from '../trace/options';

export const exportFormats = ['parquet', 'arrow', 'jsonl', 'csv', 'perfetto', 'chrome', 'html'] as const;

export const traceExportOptionsSchema = z.object({
  ...traceOptions,
  format: z
    .enum(exportFormats)
    .optional()
    .describe(
      'File format. Records of probes become one file for each map: parquet (default), arrow, jsonl, csv. Events of kernels become one timeline: perfetto (default), chrome (JSON), html (a summary).',
    ),
  ranks: z
    .array(z.string().min(1))
    .default([])
    .describe('Event files of the other ranks, to show all ranks on one timeline.'),
  profile: z.string().min(1).optional().describe('profile.json of the same run, to add its launches to the timeline.'),
  clockMhz: z
    .number()
    .positive()
    .optional()
    .describe('Clock rate of the device, for files exported by Iris whose processor is not known.'),
  unaligned: z
    .boolean()
    .default(false)
    .describe('Show ranks even if nothing relates their clocks. You then cannot tell which rank was first.'),
  output: z.string().min(1).default('.').describe('Folder to write to. Files are named `<result>.<map>.<format>`.'),
  skipEmpty: z
    .boolean()
    .default(false)
    .describe('Leave out slots that are all zero: no probe wrote there, or it wrote only zeros.'),
});

export type TraceExportOptions = z.output<typeof traceExportOptionsSchema>;
