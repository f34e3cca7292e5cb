import { z } from 'zod';

const interval = z.object({ low: z.number(), high: z.number() });

export const scoreSchema = z.object({
  wave_instructions: z
    .number()
    .nullable()
    .describe('Executed by all judged dispatches together; null on hardware. A count, not a time.'),
  time_ns: z.number().nullable().describe('On hardware: the medians of all judged dispatches together.'),
  time_ratio: z
    .number()
    .nullable()
    .describe('On hardware: its time over that of the captured code, measured in turns.'),
  time_ci95: interval.nullable().describe('Of that ratio.'),
});

export type Score = z.output<typeof scoreSchema>;
