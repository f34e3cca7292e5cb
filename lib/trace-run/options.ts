import { z } from 'zod';
import { replayingOptions } from '../replay/options';

export const traceRunOptionsSchema = z.object({
  ...replayingOptions,
  probe: z
    .string()
    .min(1)
    .default('block_sched')
    .describe(
      'Probes to apply: one that comes with Kernloop (block_sched, dmat, gmem_bytes, tensorop, program_progress), or a probe.toml, relative to the reproducer or else to the working folder.',
    ),
  output: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Folder in which the trace's own is made (<month><day>_<time>_<pid>); trace/<probe> of the reproducer, which is then made anew, if left out.",
    ),
  capacity: z
    .int()
    .min(1)
    .max(2 ** 31)
    .optional()
    .describe(
      'Most records of a thread or warp in dynamic maps; as many as the counting run finds if left out. What does not fit is dropped, and counted.',
    ),
  allowCallback: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Run the CALLBACK of the probe file, a Python program, on each result file: only where this is its name, as the file has it.',
    ),
  seed: z.int().min(0).optional().describe('Wave order of the software GPU; 1 if left out.'),
  threads: z
    .int()
    .min(1)
    .optional()
    .describe(
      'Host threads of the software GPU, which probes see as compute units, each with a clock of its own; 1 if left out, where everything repeats.',
    ),
});

export type TraceRunOptions = z.output<typeof traceRunOptionsSchema>;
