import { z } from 'zod';
import { replayingOptions } from '../replay/options';

const { reproducer, gpu, store } = replayingOptions;

export const taskFormats = ['agent-kernel-arena', 'flashinfer-bench'] as const;

export const exportTaskOptionsSchema = z.object({
  reproducer,
  format: z
    .enum(taskFormats)
    .describe(
      'Format of the task: of AgentKernelArena (HIP; judged by validate), or of flashinfer-bench (arrays of the captured dispatch, and what the app computed from them).',
    ),
  output: z
    .string()
    .min(1)
    .describe('Folder of the task, or for flashinfer-bench of the data set, to which the task is added.'),
  gpu,
  store,
});

export type ExportTaskOptions = z.output<typeof exportTaskOptionsSchema>;
