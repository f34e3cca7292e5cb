import { z } from 'zod';
import { judgeSettings } from '../options';
import { mostQueued, type SenderLimits } from '../senders';
import { limits } from './wire';

const mostQueuedMib = limits.queuedBytes / 2 ** 20;

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
  senderCandidates: z
    .int()
    .min(1)
    .max(mostQueued)
    .optional()
    .describe(
      `Candidates of one sender that may wait at a time; more are refused (429). Default: its share of ${mostQueued}, which is all of them without --tokens.`,
    ),
  senderMib: z
    .int()
    .min(1)
    .max(mostQueuedMib)
    .optional()
    .describe(
      `MiB of sources that the waiting candidates of one sender may have. Default: its share of ${mostQueuedMib}.`,
    ),
  senderCpuSeconds: z
    .number()
    .positive()
    .optional()
    .describe(
      'CPU seconds a minute, on average, that compilers and replays may take for one sender. Above, its candidates wait, and further ones are refused (429). Default: no limit, because senders take turns.',
    ),
  ...judgeSettings,
});

/** Limits of each of so many senders. */
export function senderLimits(
  { senderCandidates, senderMib, senderCpuSeconds }: ServiceOptions,
  senders: number,
): SenderLimits {
  return {
    candidates: senderCandidates ?? Math.max(1, Math.floor(mostQueued / senders)),
    bytes: senderMib === undefined ? Math.floor(limits.queuedBytes / senders) : senderMib * 2 ** 20,
    cpuSeconds: senderCpuSeconds ?? null,
  };
}

export type ServiceOptions = z.output<typeof serviceOptionsSchema>;
