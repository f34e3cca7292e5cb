import { z } from 'zod';
import { KernloopError } from '../support/error';
import { idOfEvent, type EventsFile, type RankEvents, type RankHeader } from './events';
import { GrowingEvents } from './growing';
import { invalidEvents } from './invalid';
import { jsonParts, parsed } from './json-stream';

/** s_memrealtime of the processors that Iris knows: 100 MHz on all of gfx9. */
const tickRates: ReadonlyMap<string, number> = new Map(
  ['gfx90a', 'gfx940', 'gfx941', 'gfx942', 'gfx950'].map((arch) => [arch, 100_000_000]),
);

/** Iris's default limit is a million per rank; an event takes 84 bytes in memory. */
const mostEvents = 1 << 24;
const mostRanks = 4096;

const small = z
  .int()
  .min(-(2 ** 31))
  .max(2 ** 31 - 1);
const eventSchema = z.object({
  name: z.string().max(256),
  ph: z.enum(['X', 'i', 'I']),
  ts: z.int().nonnegative(),
  dur: z.int().nonnegative().optional(),
  pid: z.int().min(0).max(1e6),
  args: z.object({
    program_id: small,
    pid_m: small,
    pid_n: small,
    target_rank: small,
    address: z.union([z.string().regex(/^0x[0-9a-f]{1,16}$/i), z.int()]),
    xcc_id: small,
    cu_id: small,
    op_index: small.optional(),
    payload_size: small.optional(),
  }),
});
const metadataSchema = z.looseObject({
  schema_version: z.union([z.string(), z.number()]).optional(),
  world_size: z.int().positive().optional(),
  gpu_device_name: z.string().optional(),
  gpu_arch: z.string().optional(),
  hostname: z.string().optional(),
  aligned: z.string().optional(),
});

/**
 * Reads a file that Iris exported, for one rank or merged. Its times are ticks, which a viewer takes for microseconds:
 * they are converted to nanoseconds by the given rate or that of the processor. Iris does not record dropped events,
 * and writes events that never ended like those of zero length.
 */
export function openIrisEvents(path: string, clockMhz: number | undefined): EventsFile {
  const ranks = new Map<number, GrowingEvents>();
  const names = new Map<number, string>();
  const ids = new Map<string, number>();
  let [count, marks, isTrace] = [0, 0, false];
  let metadata: z.output<typeof metadataSchema> = {};
  for (const { key, isElement, text } of jsonParts(path, new Set(['traceEvents']))) {
    if (key === 'metadata') metadata = checked(metadataSchema, text, path, 'metadata');
    if (key !== 'traceEvents') continue;
    isTrace = true;
    if (!isElement) throw invalidEvents(path, 'traceEvents is no list');
    if (/"ph"\s*:\s*"M"/.test(text)) continue;
    const event = checked(eventSchema, text, path, `event ${count}`);
    if (++count > mostEvents)
      throw invalidEvents(path, `more than ${mostEvents} events`, 'export it in parts, a rank a file');
    const events = ranks.get(event.pid) ?? new GrowingEvents();
    ranks.set(event.pid, events);
    if (ranks.size > mostRanks) throw invalidEvents(path, `more than ${mostRanks} ranks`);
    const isOver = event.ph === 'X' && event.dur !== undefined && event.dur > 0;
    if (!isOver) marks++;
    const { args } = event;
    events.push({
      eventId: idOf(event.name, ids, names),
      pid: args.program_id,
      pidM: args.pid_m,
      pidN: args.pid_n,
      targetRank: args.target_rank,
      xcc: args.xcc_id,
      unit: args.cu_id,
      opIndex: args.op_index ?? 0,
      payload: args.payload_size ?? 0,
      start: event.ts,
      end: isOver ? event.ts + (event.dur ?? 0) : NaN,
      address: BigInt(args.address),
    });
  }
  if (!isTrace)
    throw invalidEvents(path, 'it has no traceEvents', 'name a file that kernloop.tracing or Iris exported');
  const { rate, source } = tickRate(path, metadata.gpu_arch, clockMhz);
  const header = headerOf(metadata, rate, names, Math.max(0, ...ranks.keys()) + 1);
  return {
    path,
    kind: 'iris',
    ranks: [...ranks]
      .sort(([a], [b]) => a - b)
      .map(([rank, events]) => rankEvents({ ...header, rank, kept: events.count }, events, rate)),
    hostRanges: [],
    notes: [
      `times of Iris are ticks: made nanoseconds with ${rate / 1e6} MHz (${source}), which a viewer would show ${1000 / (1e9 / rate)} times too long`,
      'Iris does not say how many events it dropped',
      ...(marks === 0 ? [] : [`${marks} events had no length or never ended: Iris does not tell them apart`]),
      ...(metadata.aligned === undefined
        ? []
        : [`Iris shifted all ranks by one number (${metadata.aligned}): that is no alignment`]),
    ],
  };
}

function rankEvents(header: RankHeader, events: GrowingEvents, rate: number): RankEvents {
  // If a tick is a whole number of nanoseconds, nothing is rounded.
  const tick = 1e9 / rate;
  const exact = (ticks: number): number => (Number.isInteger(tick) ? ticks * tick : Math.round(ticks * tick));
  const least = events.count > 0 ? events.leastStart : 0;
  return {
    header,
    base: BigInt(exact(least)),
    *chunks() {
      for (const chunk of events.chunks()) {
        const since = (ticks: number): number => exact(ticks - least);
        yield { ...chunk, start: chunk.start.map(since), end: chunk.end.map(since) };
      }
    },
  };
}

function headerOf(
  metadata: z.output<typeof metadataSchema>,
  rate: number,
  names: ReadonlyMap<number, string>,
  ranks: number,
): Omit<RankHeader, 'rank' | 'kept'> {
  return {
    worldSize: metadata.world_size ?? ranks,
    deviceName: metadata.gpu_device_name ?? '',
    target: metadata.gpu_arch === undefined ? 'amd' : `amd-${metadata.gpu_arch}`,
    clock: { isTime: true, ticksPerSecond: rate, resolution: Math.ceil(1e9 / rate), source: 's_memrealtime' },
    dropped: 0n,
    eventNames: names,
    anchors: [],
    host: { name: metadata.hostname ?? '', boot: '', pid: 0, command: '' },
  };
}

function tickRate(
  path: string,
  arch: string | undefined,
  clockMhz: number | undefined,
): { rate: number; source: string } {
  if (clockMhz !== undefined) return { rate: Math.round(clockMhz * 1e6), source: '--clock-mhz' };
  const processor = arch?.split(':')[0] ?? '';
  const rate = tickRates.get(processor);
  if (rate !== undefined) return { rate, source: processor };
  throw new KernloopError(
    'USAGE',
    `${path}: times are ticks, and nothing is known of the clock of ${processor === '' ? 'its device' : processor}`,
    'give its rate with --clock-mhz (wall_clock_rate of hipDeviceProp_t)',
  );
}

/** Names unknown to Iris get ids after the known ones. */
function idOf(name: string, ids: Map<string, number>, names: Map<number, string>): number {
  const known = ids.get(name) ?? idOfEvent(name) ?? 4096 + names.size;
  if (!ids.has(name)) {
    ids.set(name, known);
    if (idOfEvent(name) === undefined) names.set(known, name);
  }
  return known;
}

function checked<T extends z.ZodType>(schema: T, text: string, path: string, what: string): z.output<T> {
  const result = schema.safeParse(parsed(text, path));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw invalidEvents(path, `${what}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'is not as Iris writes it'}`);
}
