import { z } from 'zod';

const interval = z.object({ low: z.number(), high: z.number() });

export const scoreSchema = z.object({
  waveInstructions: z
    .number()
    .nullable()
    .describe('Executed by all judged dispatches together; null on hardware. A count, not a time.'),
  timeNs: z.number().nullable().describe('On hardware: the medians of all judged dispatches together.'),
  timeRatio: z.number().nullable().describe('On hardware: its time over that of the captured code, measured in turns.'),
  timeCi95: interval.nullable().describe('Of that ratio.'),
});

export type Score = z.output<typeof scoreSchema>;
