import { eventOf, eventsOf, type runTrace } from '../trace/trace-program';
import { namesOfPage, type NamedArray } from './arrays';
import type { Analysis, TraceAnalyzeOptions } from './options';
import type { Analysed, BlockSched, HeatMap } from './result';

type Events = Awaited<ReturnType<typeof runTrace>>;

/** Result from the output of kernloop-trace. */
export function describe(
  analysis: Analysis,
  events: Events,
  options: TraceAnalyzeOptions,
  arrays: readonly NamedArray[],
): Analysed {
  switch (analysis) {
    case 'block-sched':
      return blockSched(events, options);
    case 'heat-map':
      return heatMap(events, arrays);
    case 'totals': {
      const { blocks, columns } = eventOf(events, 'totals');
      return {
        analysis,
        blocks,
        columns: columns.map(({ name, sum, is_beyond, units, least_block, most_block }) => ({
          name,
          sum,
          is_beyond: is_beyond,
          units,
          least_block: least_block,
          most_block: most_block,
        })),
      };
    }
    case 'progress': {
      const event = eventOf(events, 'progress');
      return {
        analysis,
        samples: event.samples,
        units: event.units,
        full_units: event.full_units,
        unordered: event.unordered,
        least_samples: event.least_samples,
        most_samples: event.most_samples,
        first_clock: event.first_clock,
        last_clock: event.last_clock,
        interval: event.interval,
        samples_in: event.samples_in,
        active_in: event.active_in,
      };
    }
  }
}

const hex = (value: bigint): string => `0x${value.toString(16)}`;
const least = (values: readonly bigint[]): bigint => values.reduce((a, b) => (a < b ? a : b), values[0] ?? 0n);
const most = (values: readonly bigint[]): bigint => values.reduce((a, b) => (a > b ? a : b), 0n);
/** Share to twelve digits, for parts of any size. */
const shareOf = (part: bigint, whole: bigint): number =>
  whole === 0n ? 0 : Math.min(1, Math.max(0, Number((part * 1_000_000_000_000n) / whole) / 1e12));

function blockSched(events: Events, { alignClocks }: TraceAnalyzeOptions): BlockSched {
  const { blocks, unwritten_units, blocks_on_several } = eventOf(events, 'block_sched');
  const rows = eventsOf(events, 'processor').map((row) => {
    const first = BigInt(row.first);
    const begin = alignClocks ? 0n : first;
    return { row, begin, end: BigInt(row.last) - first + begin, busy: BigInt(row.busy) };
  });
  const begin = least(rows.map((row) => row.begin));
  const end = most(rows.map((row) => row.end));
  const cycles = rows.length === 0 ? 0n : end - begin;
  const busy = rows.reduce((sum, row) => sum + row.busy, 0n);
  const tail = rows.length === 0 ? 0n : end - least(rows.map((row) => row.end));
  return {
    analysis: 'block-sched',
    blocks,
    unwritten_units: unwritten_units,
    blocks_on_several: blocks_on_several,
    cycles: hex(cycles),
    idle_share: shareOf(cycles * BigInt(rows.length) - busy, cycles * BigInt(rows.length)),
    tail_cycles: hex(tail),
    tail_share: shareOf(tail, cycles),
    processors: rows.map(({ row, busy }) => ({
      id: row.id,
      blocks: row.blocks,
      lanes: row.lanes,
      first: row.first,
      last: row.last,
      busy: row.busy,
      idle_share: shareOf(cycles - busy, cycles),
      gap_cycles: row.gaps,
    })),
  };
}

function heatMap(events: Events, arrays: readonly NamedArray[]): HeatMap {
  const event = eventOf(events, 'heat_map');
  return {
    analysis: 'heat-map',
    accesses: event.accesses,
    empty: event.empty,
    page_bytes: event.page_bytes,
    first_clock: event.first_clock,
    last_clock: event.last_clock,
    interval: event.interval,
    pages: eventsOf(events, 'page').map(({ address, counts }) => ({
      address,
      array: namesOfPage(arrays, address, event.page_bytes),
      counts,
      accesses: counts.reduce((sum, count) => sum + count, 0),
    })),
  };
}
