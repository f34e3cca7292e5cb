import { z } from 'zod';
import type { Environment } from './environment';
import type { Reporter } from './report';

/** Reports of a stage as JSON, one object per line on stderr, for programs that start it (KERNLOOP_PROGRESS=json). */
const progressSchema = z.object({
  what: z.string(),
  done: z.number(),
  total: z.number().optional(),
  unit: z.string(),
  bytes: z.number().optional(),
});

export const reportEventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.enum(['info', 'warning', 'result', 'output']), text: z.string() }),
  z.object({ event: z.literal('progress'), progress: progressSchema.nullable() }),
]);
export type ReportEvent = z.output<typeof reportEventSchema>;

export function wantsEvents(env: Environment): boolean {
  return env['KERNLOOP_PROGRESS'] === 'json';
}

export function eventReporter(): Reporter {
  const say = (event: ReportEvent): void => void process.stderr.write(`${JSON.stringify(event)}\n`);
  return {
    info: (text) => say({ event: 'info', text }),
    warn: (text) => say({ event: 'warning', text }),
    output: (text) => say({ event: 'output', text }),
    result: (text) => say({ event: 'result', text }),
    progress: (progress) => say({ event: 'progress', progress }),
  };
}
