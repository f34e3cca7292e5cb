import { z } from 'zod';

const noSourceCodes = [
  'SOURCE_ELSEWHERE',
  'SOURCE_NOT_BUILT',
  'SOURCE_TRITON',
  'SOURCE_MOVED',
  'SOURCE_NO_TRAIL',
] as const;

/** Reason why a reproducer has no source. */
export const noSourceSchema = z.strictObject({
  code: z.enum(noSourceCodes),
  reason: z.string().describe('What was looked at, and what that says.'),
  hint: z.string().describe('What to do next.'),
  files: z.array(z.string()).describe('Source files that are known of, though they could not be used.'),
});

export type NoSource = z.output<typeof noSourceSchema>;
