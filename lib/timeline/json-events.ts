import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { EventsFile, RankEvents } from './events';
import { GrowingEvents } from './growing';
import { invalidEvents } from './invalid';
import { parsed } from './json-stream';
import { count } from '../support/count';

/** JSON is for small traces: the whole file is in memory. */
const mostBytes = 256 << 20;

export const eventsSchemaName = 'kernloop.events/1';

const wide = z.string().regex(/^-?\d{1,20}$/);
const small = z.array(
  z
    .int()
    .min(-(2 ** 31))
    .max(2 ** 31 - 1),
);
const hostSchema = z.object({ name: z.string(), boot: z.string(), pid: count, command: z.string() });

const rankSchema = z.object({
  rank: count,
  world_size: count,
  device_name: z.string(),
  target: z.string(),
  clock: z.object({ is_time: z.boolean(), ticks_per_second: count, resolution: count, source: z.string() }),
  kept: count,
  dropped: z.string().regex(/^\d{1,20}$/),
  event_names: z.record(z.string().regex(/^-?\d{1,10}$/), z.string()),
  anchors: z.array(z.object({ device_ns: wide, offset_ns: wide, error_ns: count })),
  host: hostSchema,
  base: wide.describe('What `start` and `end` count from.'),
  columns: z.object({
    event_id: small,
    pid: small,
    pid_m: small,
    pid_n: small,
    cur_rank: small,
    target_rank: small,
    xcc_id: small,
    cu_id: small,
    start: z.array(z.int()),
    address: z.array(z.string().regex(/^0x[0-9a-f]{1,16}$/)),
    end: z.array(z.int().nullable()).describe('null: it never ended.'),
    op_index: small,
    payload_size: small,
  }),
});

export const eventsSchema = z
  .object({
    schema: z.literal(eventsSchemaName),
    ranks: z.array(rankSchema).min(1).max(4096),
    host_ranges: z.array(
      z.object({ rank: count, host: hostSchema, name: z.string(), thread: count, start_ns: wide, end_ns: wide }),
    ),
  })
  .meta({ title: 'Events of kernels', description: 'What kernloop.tracing writes where the name ends in .json.' });

export function openJsonEvents(path: string, size: number): EventsFile {
  if (size > mostBytes)
    throw invalidEvents(
      path,
      `JSON of ${size} bytes`,
      'export to a name that does not end in .json: that file is read in pieces',
    );
  const result = eventsSchema.safeParse(parsed(readFileSync(path, 'utf8'), path));
  if (!result.success) {
    const [issue] = result.error.issues;
    throw invalidEvents(path, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }
  const { ranks, host_ranges: ranges } = result.data;
  if (new Set(ranks.map(({ rank }) => rank)).size !== ranks.length) throw invalidEvents(path, 'a rank is in it twice');
  return {
    path,
    kind: 'kernloop-json',
    ranks: ranks.map((rank) => rankEvents(rank, path)),
    hostRanges: ranges.map(({ rank, host, name, thread, start_ns, end_ns }) => ({
      rank,
      host,
      ranges: () => [{ name, thread: String(thread), startNs: BigInt(start_ns), endNs: BigInt(end_ns) }],
    })),
    notes: [],
  };
}

function rankEvents(rank: z.output<typeof rankSchema>, path: string): RankEvents {
  const { columns, clock } = rank;
  const wrong = Object.entries(columns).find(([, values]) => values.length !== rank.kept);
  if (wrong)
    throw invalidEvents(path, `column ${wrong[0]} of rank ${rank.rank} has ${wrong[1].length} values of ${rank.kept}`);
  const events = new GrowingEvents();
  for (let index = 0; index < rank.kept; index++) {
    events.push({
      eventId: columns.event_id[index] ?? 0,
      pid: columns.pid[index] ?? 0,
      pidM: columns.pid_m[index] ?? 0,
      pidN: columns.pid_n[index] ?? 0,
      targetRank: columns.target_rank[index] ?? 0,
      xcc: columns.xcc_id[index] ?? 0,
      unit: columns.cu_id[index] ?? 0,
      opIndex: columns.op_index[index] ?? 0,
      payload: columns.payload_size[index] ?? 0,
      start: columns.start[index] ?? 0,
      end: columns.end[index] ?? NaN,
      address: BigInt(columns.address[index] ?? 0),
    });
  }
  return {
    header: {
      rank: rank.rank,
      worldSize: rank.world_size,
      deviceName: rank.device_name,
      target: rank.target,
      clock: {
        isTime: clock.is_time,
        ticksPerSecond: clock.ticks_per_second,
        resolution: clock.resolution,
        source: clock.source,
      },
      kept: rank.kept,
      dropped: BigInt(rank.dropped),
      eventNames: new Map(Object.entries(rank.event_names).map(([id, name]) => [Number(id), name])),
      anchors: rank.anchors.map(({ device_ns, offset_ns, error_ns }) => ({
        deviceNs: BigInt(device_ns),
        offsetNs: BigInt(offset_ns),
        errorNs: error_ns,
      })),
      host: rank.host,
    },
    base: BigInt(rank.base),
    chunks: () => events.chunks(),
  };
}
