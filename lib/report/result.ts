import { z } from 'zod';

export const reportPageSchema = z.object({
  of: z.enum(['reproducer', 'trace', 'workspace']),
  file: z.string().describe('The page: one file that loads nothing.'),
  bytes: z.int().nonnegative(),
  sections: z.array(z.string()),
});

export type ReportPage = z.output<typeof reportPageSchema>;
