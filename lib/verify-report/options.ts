import { z } from 'zod';
import { decidingSettings } from '../judge/options';

export const verifyReportOptionsSchema = z.object({
  file: z.array(z.string().min(1)).min(1).describe('Signed reports of `kernloop judge`.'),
  reproducer: z
    .string()
    .min(1)
    .optional()
    .describe('Reproducer that the reports must be of, with its captures, settings and sources as they are now.'),
  candidate: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Candidates that the reports must be on, in the order of the reports, as `judge` was given them. Default: the files of the reproducer itself.',
    ),
  publicKey: z
    .string()
    .min(1)
    .optional()
    .describe('Key of the judge that is trusted, or a file with it. Default: key.pub in the home.'),
  home: z
    .string()
    .optional()
    .describe('Home of the judge that is trusted. Default: kernloop/judge in the cache folder of the user.'),
  requireSandbox: z
    .boolean()
    .default(false)
    .describe('Refuse reports on candidates that were compiled without the sandbox.'),
  maxAgeHours: z.number().positive().optional().describe('Refuse reports that are older.'),
  ...decidingSettings,
});

export type VerifyReportOptions = z.output<typeof verifyReportOptionsSchema>;
