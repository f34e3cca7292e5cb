import { z } from 'zod';
import { count } from '../support/count';

const outcomes = ['written', 'unchanged', 'completed'] as const;

export const pullResultSchema = z.object({
  remote: z.string().describe('URL of the server.'),
  captures: z.array(
    z.object({
      capture: z.string().describe('The folder, absolute.'),
      outcome: z
        .enum(outcomes)
        .describe(
          '"unchanged": it was there, complete; "completed": it was there, and has the chunks now that it lacked.',
        ),
      chunks: count,
      chunks_fetched: count,
    }),
  ),
  bytes_fetched: count,
});

export type PullResult = z.output<typeof pullResultSchema>;
