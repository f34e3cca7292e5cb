import { z } from 'zod';
import { candidateSchema, idSchema } from '../candidate-json';
import { sealedSchema } from '../seal';

/** Messages of the service; the OpenAPI document and the clients are made of the same schemas. */

const errorSchema = z
  .object({
    code: z.string().describe('See docs/reference/errors.md.'),
    message: z.string().describe('What happened.'),
    next: z.string().describe('What to do now.'),
    limit: z
      .enum(['candidates', 'bytes', 'cpu_seconds'])
      .optional()
      .describe('Of SENDER_LIMIT: the limit of the sender that is reached.'),
    retry_seconds: z.int().optional().describe('Of SENDER_LIMIT: when to send it again, as in Retry-After.'),
  })
  .meta({ title: 'error' });

export const refusalSchema = z.object({ error: errorSchema }).meta({ title: 'refusal' });

export const statusSchema = z
  .object({
    id: z.string(),
    kernel: z.string(),
    phase: z.enum(['queued', 'compiling', 'judging', 'done']),
    sealed: sealedSchema.nullable().describe('The signed verdict; null until the phase is "done".'),
  })
  .meta({ title: 'status', description: 'State of an accepted candidate.' });

export const submittedSchema = z
  .object({
    candidates: z
      .array(z.union([statusSchema, refusalSchema.extend({ id: z.string().optional() })]))
      .describe('One for each candidate, in the order in which they were sent: its state, or why it was refused.'),
  })
  .meta({ title: 'submitted' });

export const kernelsSchema = z
  .object({
    kernels: z.array(
      z.object({
        name: z.string(),
        device: z.string(),
        files: z.array(z.string()).describe('Files that a candidate may replace; it may add others.'),
      }),
    ),
  })
  .meta({ title: 'kernels' });

export const serviceStatusSchema = z
  .object({
    version: z.string().describe('Of Kernloop.'),
    public_key: z.string().describe('Key of the judge, which signs its verdicts.'),
    sandboxed: z.boolean(),
    queued: z.int().describe('Candidates that wait, of all senders.'),
    working: z.int().describe('Candidates that are compiled or judged now.'),
    own: z
      .object({
        candidates: z.int().describe('Candidates of the sender that have no verdict yet.'),
        bytes: z.int().describe('Bytes of their files.'),
        cpu_seconds: z.number().describe('CPU seconds that the minutes since have not made up for; 0 without a limit.'),
        most_candidates: z.int(),
        most_bytes: z.int(),
        most_cpu_seconds: z.number().nullable().describe('A minute; null: no limit.'),
      })
      .describe('What the sender uses, and its limits.'),
  })
  .meta({ title: 'service status' });

export const eventSchema = z
  .discriminatedUnion('event', [
    z.object({ event: z.literal('phase'), ...statusSchema.omit({ sealed: true }).shape }),
    z.object({ event: z.literal('verdict'), id: z.string(), kernel: z.string(), sealed: sealedSchema }),
    z.object({ event: z.literal('alive') }).describe('Nothing has happened for 15 s.'),
    z.object({ event: z.literal('end') }).describe('Each candidate that was asked for has its verdict.'),
    z.object({ event: z.literal('error'), error: errorSchema }).describe('The last line; ask again.'),
  ])
  .meta({ title: 'event', description: 'A line of GET /v1/events.' });

export { candidateSchema, idSchema, sealedSchema };

export type ErrorBody = z.output<typeof errorSchema>;
/** State of a candidate as the service gives it. */
export type WireStatus = z.output<typeof statusSchema>;
/** A line of the events. */
export type WireEvent = z.output<typeof eventSchema>;
/** State of a submitted candidate, or why it was refused. */
export type Submitted = z.output<typeof submittedSchema>['candidates'][number];
/** A kernel that a judge judges. */
export type JudgedKernel = z.output<typeof kernelsSchema>['kernels'][number];
/** Version, key and load of a judge. */
export type ServiceStatus = z.output<typeof serviceStatusSchema>;

/** Bounds of the service. */
export const limits = {
  candidatesAtOnce: 100,
  bodyBytes: 64 * 1024 * 1024,
  /** Bytes of all bodies that are being read. */
  bodiesBytes: 256 * 1024 * 1024,
  /** Objects, lists and items of a body; a hundred candidates of many files have some thousands. */
  bodyItems: 100_000,
  connections: 256,
  /** Requests of one group that wait: for a verdict, or for events. */
  waiting: 64,
  waitSeconds: 300,
  headerBytes: 16 * 1024,
  headersSeconds: 10,
  bodySeconds: 120,
  /** Seconds in which nothing could be sent or received. */
  idleSeconds: 330,
  aliveSeconds: 15,
  /** Bytes of events that wait for a slow reader. */
  unreadBytes: 8 * 1024 * 1024,
  /** Bytes of the files of all candidates that wait. */
  queuedBytes: 2 * 1024 * 1024 * 1024,
} as const;
