import { z } from 'zod';
import { judgementSchema } from '../judge/judgement-json';

export const verifyReportResultSchema = z
  .object({
    schema: z.literal('kernloop.verify-report/1'),
    public_key: z.string().describe('Key of the judge that is trusted, and that has signed all of them.'),
    reports: z
      .array(
        z.object({
          file: z.string(),
          judgement: judgementSchema,
          inputs_seed: z
            .int()
            .nullable()
            .describe(
              'Seed of the derived inputs, as `validate --inputs-seed` takes it. Null without the secret in the home of the judge that drew it.',
            ),
        }),
      )
      .describe('In the order of the files. All are genuine: another one is an error.'),
    reproducer: z.string().nullable().describe('Kernel whose reproducer all are of; null if none was named.'),
  })
  .meta({ title: 'verify-report', description: 'Verdicts of signed reports that are genuine.' });

export type VerifyReportResult = z.output<typeof verifyReportResultSchema>;
