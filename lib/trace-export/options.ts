import { z } from 'zod';
import { traceOptions } from '../trace/options';

export const exportFormats = ['parquet', 'arrow', 'jsonl', 'csv'] as const;

export const traceExportOptionsSchema = z.object({
  ...traceOptions,
  format: z.enum(exportFormats).default('parquet').describe('What is written, one file a map.'),
  output: z.string().min(1).default('.').describe('Folder for the files; `<result>.<map>.<format>` in it.'),
  skipEmpty: z
    .boolean()
    .default(false)
    .describe('Leave out slots that are all zero: where no probe wrote, or where it wrote nothing but zeros.'),
});

export type TraceExportOptions = z.output<typeof traceExportOptionsSchema>;
