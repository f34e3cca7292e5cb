import { z } from 'zod';
import { editOptions, replayingOptions } from '../replay/options';

export const traceRunOptionsSchema = z.object({
  ...replayingOptions,
  ...editOptions,
  probe: z
    .string()
    .min(1)
    .default('block_sched')
    .describe(
      'Probes to apply: a built-in one (block_sched, dmat, gmem_bytes, tensorop, program_progress) or a probe.toml file, relative to the reproducer or to the working folder.',
    ),
  output: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder to create the trace folder in (<month><day>_<time>_<pid>). Default: trace/<probe> of the reproducer, whose earlier traces are replaced.',
    ),
  capacity: z
    .int()
    .min(1)
    .max(2 ** 31)
    .optional()
    .describe(
      'Maximum records per thread or warp in dynamic maps. Records beyond it are dropped and counted. Default: as many as the counting run finds.',
    ),
  allowCallback: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Run the CALLBACK of the probe file, a Python program, on each result file. To allow it, give its name exactly as in the file.',
    ),
  seed: z.int().min(0).optional().describe('Seed for the order of waves on the software GPU. Default: 1.'),
  threads: z
    .int()
    .min(1)
    .optional()
    .describe(
      'Host threads for the software GPU. Probes see each one as a compute unit with its own clock. Default: 1, which makes every run the same.',
    ),
});

export type TraceRunOptions = z.output<typeof traceRunOptionsSchema>;
