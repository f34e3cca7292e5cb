import { z } from 'zod';
import { traceOptions } from '../trace/options';

export const exportFormats = ['parquet', 'arrow', 'jsonl', 'csv', 'perfetto', 'chrome', 'html'] as const;

export const traceExportOptionsSchema = z.object({
  ...traceOptions,
  format: z
    .enum(exportFormats)
    .optional()
    .describe(
      'What is written. Of records of probes, one file a map: parquet if left out, arrow, jsonl, csv. Of events that kernels recorded, one timeline: perfetto if left out, chrome (JSON), html (a summary).',
    ),
  ranks: z
    .array(z.string().min(1))
    .default([])
    .describe('Files of the other ranks, of events that kernels recorded: one timeline of all.'),
  profile: z
    .string()
    .min(1)
    .optional()
    .describe('The profile.json of the same run: its launches are on the timeline, too.'),
  clockMhz: z
    .number()
    .positive()
    .optional()
    .describe(
      "Of a file that Iris exported: the rate of the device's clock, where that of its processor is not known.",
    ),
  unaligned: z
    .boolean()
    .default(false)
    .describe(
      'Show ranks whose clocks nothing relates as their clocks are: what was earlier on which rank is then not known.',
    ),
  output: z.string().min(1).default('.').describe('Folder for the files; `<result>.<map>.<format>` in it.'),
  skipEmpty: z
    .boolean()
    .default(false)
    .describe('Leave out slots that are all zero: where no probe wrote, or where it wrote nothing but zeros.'),
});

export type TraceExportOptions = z.output<typeof traceExportOptionsSchema>;
