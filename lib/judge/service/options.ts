import { z } from 'zod';
import { judgeSettings } from '../options';

/** Options of `kernloop judge --serve` and `--stdio`, which are no stage: they run until they are ended. */
export const serviceOptionsSchema = z.object({
  serve: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Serve HTTP at this address: the path of a Unix socket, or HOST:PORT. A port alone is one of 127.0.0.1; port 0 is a free one.',
    ),
  stdio: z
    .boolean()
    .default(false)
    .describe('Read candidates from stdin, one as JSON on each line, and write a signed verdict on each to stdout.'),
  tokens: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File of the tokens that are accepted, which only you may read. Each line is NAME TOKEN [HIGHEST PRIORITY]: senders of different names take turns, and see their own candidates only. Default: no token on a Unix socket, else one that the judge makes and keeps in its home.',
    ),
  ...judgeSettings,
});

export type ServiceOptions = z.output<typeof serviceOptionsSchema>;
