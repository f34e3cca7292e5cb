import { z } from 'zod';
import { traceExportOptionsSchema } from '../trace-export/options';

const { ranks, clockMhz, unaligned } = traceExportOptionsSchema.shape;

export const reportOptionsSchema = z.object({
  reproducer: z
    .string()
    .default('.')
    .describe(
      'Folder of the reproducer: the one with kernel.json, or a folder below it. The root of a workspace: as --workspace.',
    ),
  trace: z
    .string()
    .min(1)
    .optional()
    .describe('Make the page of a trace instead: a file of events, or the folder of a trace of probes.'),
  workspace: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Make the page of a workspace instead: every reproducer in kernels/ of this folder, and the profiles of its apps.',
    ),
  ranks,
  clockMhz,
  unaligned,
  output: z
    .string()
    .min(1)
    .optional()
    .describe(
      'The page. If left out: build/report.html of the reproducer, .kernloop/report.html of the workspace, or <name>.report.html beside the trace.',
    ),
});

export type ReportOptions = z.output<typeof reportOptionsSchema>;
