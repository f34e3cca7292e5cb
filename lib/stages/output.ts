import { z } from 'zod';
import { exitCodes } from '../support/error-codes';
import { format } from './documents';

const ownExitCode = z
  .literal(Object.values(exitCodes))
  .describe('Exit code of the process; see docs/reference/exit-codes.md.');

/** The result of a verb may be a failed verdict: then its exit code is not 0. */
function resultSchema(verb: string, result: z.ZodType): z.ZodType {
  return z
    .object({
      schema: z.literal(format),
      verb: z.literal(verb),
      exit_code: z
        .int()
        .min(0)
        .max(255)
        .describe(
          'Exit code of the process; see docs/reference/exit-codes.md. capture and extract pass on that of the app.',
        ),
      result,
    })
    .describe('The verb ran to its end.');
}

function errorSchema(verb: z.ZodType): z.ZodType {
  return z
    .object({
      schema: z.literal(format),
      verb,
      exit_code: ownExitCode,
      error: z.object({
        code: z
          .string()
          .regex(/^[A-Z][A-Z_]+$/)
          .describe('Stable; docs/reference/errors.md lists them all.'),
        message: z.string().describe('What happened, and where.'),
        hint: z.string().describe('What to do next.'),
      }),
    })
    .describe('The verb could not do what it was asked for.');
}

function configurationSchema(verb: string): z.ZodType {
  return z
    .object({
      schema: z.literal(format),
      verb: z.literal(verb),
      options: z.record(z.string(), z.unknown()).describe('By name; what is not set is missing.'),
      origins: z.record(z.string(), z.string()).describe('Where each value comes from.'),
    })
    .describe('With --print-config: the options in effect. Nothing was done, and the exit code is 0.');
}

/** Everything that `kernloop <verb> --json` may print. */
export function outputSchema(verb: string, result: z.ZodType): z.ZodType {
  const shapes = [resultSchema(verb, result), errorSchema(z.literal(verb)), configurationSchema(verb)];
  return z.union(shapes).meta({
    title: `kernloop ${verb} --json`,
    description: `The one document on stdout of \`kernloop ${verb} --json\`.`,
  });
}

/** Output if no verb was recognized. */
export const usageOutputSchema = errorSchema(z.null()).meta({
  title: 'kernloop --json',
  description: 'The one document on stdout where the verb is missing or unknown.',
});
