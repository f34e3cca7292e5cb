import { z } from 'zod';
import { judgementSchema } from './judgement-json';

export const judgeResultSchema = z
  .object({
    schema: z.literal('kernloop.judge/1'),
    judgements: z.array(judgementSchema).describe('In the order of the candidates.'),
    reports: z
      .array(z.string())
      .describe('The signed reports, in the same order: `kernloop verify-report` reads them.'),
    public_key: z.string().describe('Key of the judge that signed them.'),
  })
  .meta({ title: 'judge', description: 'Verdicts of judge on each candidate.' });

export type JudgeResult = z.output<typeof judgeResultSchema>;
