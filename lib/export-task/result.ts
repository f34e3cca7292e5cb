import { z } from 'zod';
import { taskFormats } from './options';

export const exportTaskResultSchema = z
  .object({
    schema: z.literal('kernloop.export-task/1'),
    kernel: z.string(),
    format: z.enum(taskFormats),
    folder: z.string(),
    files: z
      .array(z.string())
      .describe('Files that were written, relative to the folder; a trailing / is a whole folder.'),
  })
  .meta({ title: 'export-task', description: 'Files of a task that was made of a reproducer.' });

export type ExportTaskResult = z.output<typeof exportTaskResultSchema>;
