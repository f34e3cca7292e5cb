import { PerfettoWriter } from '../perfetto/perfetto-writer';
import type { ClockUnit } from './clock-unit';
import { clockOrigins, readIntervals } from './intervals';
import type { TraceAnalyzeOptions } from './options';
import type { Analysed, BlockSched, HeatMap, Progress } from './result';

/** Maximum number of pages with a separate track: those with the most accesses. */
const mostPages = 64;

/** Writes the analysis as tracks: blocks in lanes per processor, pages and threads as counters. */
export function writeTracks(
  path: string,
  name: string,
  result: Analysed,
  intervals: string,
  options: TraceAnalyzeOptions,
  unit: ClockUnit,
): void {
  const writer = new PerfettoWriter(path);
  try {
    const process = writer.process(1, unit === 'cycle' ? name : `${name} (1 ns stands for one ${unit})`);
    const time = nanoseconds(options.clockMhz);
    if (result.analysis === 'block-sched') writeBlocks(writer, process, result, intervals, options, time, unit);
    else if (result.analysis === 'heat-map') writePages(writer, process, result, time);
    else if (result.analysis === 'progress') writeProgress(writer, process, result, time);
  } finally {
    writer.close();
  }
}

/** Converts clock steps to nanoseconds; without a rate, a step counts as a nanosecond. */
function nanoseconds(clockMhz: number | undefined): (cycles: bigint) => bigint {
  if (clockMhz === undefined) return (cycles) => cycles;
  const hertz = BigInt(Math.round(clockMhz * 1e6));
  return (cycles) => (cycles * 1_000_000_000n) / hertz;
}

type Time = (cycles: bigint) => bigint;

function writeBlocks(
  writer: PerfettoWriter,
  process: bigint,
  result: BlockSched,
  intervals: string,
  { alignClocks }: TraceAnalyzeOptions,
  time: Time,
  unit: ClockUnit,
): void {
  const [first, length] =
    unit === 'cycle' ? ['start_cycle', 'cycles'] : ['start_wave_instruction', 'wave_instructions'];
  const origin = clockOrigins(result.processors, alignClocks);
  const lanes = new Map<string, bigint>();
  for (const [rank, { id, lanes: count }] of result.processors.entries()) {
    const processor = writer.track(process, `processor ${id}`, rank);
    for (let lane = 0; lane < count; lane++) lanes.set(`${id}/${lane}`, writer.track(processor, `lane ${lane}`, lane));
  }
  for (const { block, processor, lane, start, end } of readIntervals(intervals)) {
    const track = lanes.get(`${processor}/${lane}`);
    if (track === undefined) continue;
    const from = origin(processor);
    const annotations = { block, processor, [first]: start, [length]: end - start };
    writer.slice(track, `block ${block}`, time(start - from), time(end - from), { category: 'block', annotations });
  }
}

function writePages(writer: PerfettoWriter, process: bigint, result: HeatMap, time: Time): void {
  const busiest = [...result.pages].sort((a, b) => b.accesses - a.accesses).slice(0, mostPages);
  const tracks = busiest.sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1));
  for (const [rank, { address, array, counts }] of tracks.entries()) {
    writeCounter(
      writer,
      writer.counter(process, `page ${address}${array === null ? '' : ` (${array})`}`, 'accesses', rank),
      counts,
      result.interval,
      time,
    );
  }
}

function writeProgress(writer: PerfettoWriter, process: bigint, result: Progress, time: Time): void {
  writeCounter(writer, writer.counter(process, 'running', 'threads', 0), result.active_in, result.interval, time);
  writeCounter(writer, writer.counter(process, 'samples', 'samples', 1), result.samples_in, result.interval, time);
}

/** Writes a counter from the first clock on, and resets it to 0 at the end. */
function writeCounter(
  writer: PerfettoWriter,
  counter: bigint,
  counts: readonly number[],
  interval: string,
  time: Time,
): void {
  for (const [bin, count] of [...counts, 0].entries()) {
    writer.value(counter, time(BigInt(bin) * BigInt(interval)), BigInt(count));
  }
}
