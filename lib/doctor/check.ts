import { z } from 'zod';

const checkSchema = z.object({
  name: z.string(),
  state: z
    .enum(['ok', 'missing', 'optional'])
    .describe('"missing": a stage that this machine is otherwise able to run cannot.'),
  detail: z.string().describe('What was found.'),
  hint: z.string().describe('How to get what is not there.'),
});

export const doctorResultSchema = z.object({ checks: z.array(checkSchema), exit_code: z.int() });

/** One thing that a machine has or lacks. */
export type Check = z.output<typeof checkSchema>;
export type DoctorResult = z.output<typeof doctorResultSchema>;
