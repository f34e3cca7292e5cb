import { z } from 'zod';
import type { Deps } from '../deps/deps';
import { builtNative } from '../deps/built-native';
import { KernloopError } from '../support/error';
import { throwIfInterrupted } from '../support/interrupted';
import { describeEnd, EventReader, rebuildHint } from '../support/ndjson';
import { mapsArgument, type ProbeFile } from './probe-file';
import { dialects, type Dialect, type OffsetChoice } from './words';
import { count } from '../support/count';

const wide = z.string().regex(/^0x[0-9a-f]{1,16}$/);

const fitSchema = z.object({
  event: z.literal('fit'),
  dialect: z.enum(dialects),
  fits: z.boolean(),
  reason: z.string(),
});
const traceSchema = z.object({
  event: z.literal('trace'),
  dialect: z.enum(dialects),
  grid: z.array(count).length(3),
  block: z.array(count).length(3),
  shared_bytes: count,
  blocks: count,
  threads: count,
  file_bytes: count,
  has_wrong_offsets: z.boolean(),
  sections: z.array(
    z.object({
      bytes: count,
      offset: count,
      recorded_offset: count,
      units_written: count,
      units: count,
      is_ragged: z.boolean(),
      level: z.enum(['thread', 'warp']).optional(),
      unit_bytes: count.optional(),
    }),
  ),
});
const mapSchema = z.object({
  event: z.literal('map'),
  name: z.string(),
  rows: count,
  columns: z.array(z.object({ name: z.string(), sum: wide, least: wide, most: wide, nonzero: count })),
});
const exportedSchema = z.object({
  event: z.literal('exported'),
  name: z.string(),
  rows: count,
  skipped: count,
  files: z.array(z.string()),
});
const processorSchema = z.object({
  event: z.literal('processor'),
  id: count,
  blocks: count,
  lanes: count,
  first: wide,
  last: wide,
  busy: wide,
  work: wide,
  gaps: wide,
});
const blockSchedSchema = z.object({
  event: z.literal('block_sched'),
  blocks: count,
  unwritten_units: count,
  blocks_on_several: count,
});
const pageSchema = z.object({ event: z.literal('page'), address: wide, counts: z.array(count) });
const heatMapSchema = z.object({
  event: z.literal('heat_map'),
  page_bytes: count,
  pages: count,
  first_clock: wide,
  last_clock: wide,
  interval: wide,
  bins: count,
  accesses: count,
  empty: count,
});
const totalsSchema = z.object({
  event: z.literal('totals'),
  blocks: count,
  columns: z.array(
    z.object({
      name: z.string(),
      sum: wide,
      is_beyond: z.boolean(),
      units: count,
      least_block: wide,
      most_block: wide,
    }),
  ),
});
const progressSchema = z.object({
  event: z.literal('progress'),
  first_clock: wide,
  last_clock: wide,
  interval: wide,
  samples: count,
  units: count,
  full_units: count,
  unordered: count,
  least_samples: count,
  most_samples: count,
  samples_in: z.array(count),
  active_in: z.array(count),
});
const dmatSchema = z.object({
  event: z.literal('dmat'),
  pages: count,
  clocks: count,
  pairs: count,
  accesses: count,
  first_clock: wide,
  last_clock: wide,
  empty: count,
});

const schemas = [
  fitSchema,
  traceSchema,
  mapSchema,
  exportedSchema,
  processorSchema,
  blockSchedSchema,
  pageSchema,
  heatMapSchema,
  totalsSchema,
  progressSchema,
  dmatSchema,
] as const;

type TraceEvent = z.output<(typeof schemas)[number]>;
export type EventOf<N extends TraceEvent['event']> = Extract<TraceEvent, { event: N }>;

export const traceEvents: ReadonlyMap<string, z.ZodType<TraceEvent>> = new Map(
  schemas.map((schema) => [schema.shape.event.value, schema as z.ZodType<TraceEvent>]),
);

/** Options to read a file that does not describe its own format. */
export interface ReadAs {
  readonly dialect?: Dialect | undefined;
  readonly offsets?: OffsetChoice | undefined;
}

export function readAsArguments({ dialect, offsets }: ReadAs): string[] {
  return [
    ...(dialect === undefined ? [] : ['--dialect', dialect]),
    ...(offsets === undefined ? [] : ['--offsets', offsets]),
  ];
}

/** Arguments of every verb that reads the records of a file. */
export function recordArguments(verb: string, file: string, probe: ProbeFile, as: ReadAs): string[] {
  return [verb, file, '--maps', mapsArgument(probe), ...readAsArguments(as)];
}

/** Runs kernloop-trace to its end and throws the error that it reports. */
export async function runTrace(args: readonly string[], deps: Deps): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  const reader = new EventReader<TraceEvent>('kernloop-trace', traceEvents, (event) => events.push(event));
  const ended = await deps.run(await builtNative('trace', deps), args, {
    onStdoutLine: reader.push,
    onStderr: (chunk) => deps.report.output(chunk),
  }).result;
  throwIfInterrupted(deps.signal);
  reader.finish(ended);
  if (ended.exitCode !== 0) throw noResult(describeEnd('kernloop-trace', ended));
  return events;
}

export function eventsOf<N extends TraceEvent['event']>(events: readonly TraceEvent[], name: N): EventOf<N>[] {
  return events.filter((event): event is EventOf<N> => event.event === name);
}

export function eventOf<N extends TraceEvent['event']>(events: readonly TraceEvent[], name: N): EventOf<N> {
  const [event] = eventsOf(events, name);
  if (!event) throw noResult(`kernloop-trace ended without an event ${name}`);
  return event;
}

function noResult(what: string): KernloopError {
  return new KernloopError('NATIVE_FAILED', what, rebuildHint);
}
