import type { TopLevelSpec } from 'vega-lite';
import type { ClockUnit } from './clock-unit';
import { clockOrigins, readIntervals } from './intervals';
import type { TraceAnalyzeOptions } from './options';
import type { Analysed, BlockSched, HeatMap, Progress, Totals } from './result';

type Rows = readonly Readonly<Record<string, string | number>>[];

/** Maximum number of bars that are readable: above it, the plot shows how many blocks ran at a time. */
const mostBars = 4000;

export function plotOf(
  result: Analysed,
  intervals: string,
  options: TraceAnalyzeOptions,
  unit: ClockUnit,
): TopLevelSpec {
  switch (result.analysis) {
    case 'block-sched':
      return blockPlot(result, intervals, options, unit);
    case 'heat-map':
      return heatPlot(result, unit);
    case 'totals':
      return totalsPlot(result);
    case 'progress':
      return progressPlot(result, unit);
  }
}

function blockPlot(
  result: BlockSched,
  path: string,
  { alignClocks, bins }: TraceAnalyzeOptions,
  unit: ClockUnit,
): TopLevelSpec {
  const origin = clockOrigins(result.processors, alignClocks);
  const title = `Blocks by processor: idle ${(result.idleShare * 100).toFixed(1)}%, tail ${(result.tailShare * 100).toFixed(1)}%`;
  const y = { field: 'processor', type: 'ordinal', title: 'processor' } as const;
  const height = { step: Math.max(4, Math.min(24, 1600 / Math.max(1, result.processors.length))) };
  if (result.blocks > mostBars) {
    const values = running(result, path, bins, origin);
    return {
      title,
      width: 900,
      height,
      data: { values: [...values] },
      mark: 'rect',
      encoding: {
        x: { field: 'begin', type: 'quantitative', title: unit },
        x2: { field: 'end' },
        y,
        color: { field: 'blocks', type: 'quantitative', title: 'blocks at a time' },
      },
    };
  }
  const values = [...readIntervals(path)].map(({ block, processor, lane, start, end }) => ({
    block: Number(block),
    processor: Number(processor),
    lane: Number(lane),
    start: Number(start - origin(processor)),
    end: Number(end - origin(processor)),
  }));
  return {
    title,
    width: 900,
    height,
    data: { values },
    mark: { type: 'bar', stroke: 'white', strokeWidth: 0.3 },
    encoding: {
      x: { field: 'start', type: 'quantitative', title: unit },
      x2: { field: 'end' },
      y,
      yOffset: { field: 'lane', type: 'ordinal' },
      color: { field: 'block', type: 'quantitative', title: 'block' },
    },
  };
}

/** Mean number of blocks that a processor runs, by time interval. */
function running(result: BlockSched, path: string, bins: number, origin: (processor: bigint) => bigint): Rows {
  const width = BigInt(result.cycles) / BigInt(bins) + 1n;
  const counts = new Map<bigint, number[]>();
  for (const { processor, start, end } of readIntervals(path)) {
    const row = counts.get(processor) ?? new Array<number>(bins).fill(0);
    counts.set(processor, row);
    const begin = start - origin(processor);
    const last = end - origin(processor);
    for (let bin = begin / width; bin * width < last && bin < BigInt(bins); bin++) {
      const from = begin > bin * width ? begin : bin * width;
      const to = last < (bin + 1n) * width ? last : (bin + 1n) * width;
      row[Number(bin)] = (row[Number(bin)] ?? 0) + Number(to - from) / Number(width);
    }
  }
  return [...counts].flatMap(([processor, row]) =>
    row.map((blocks, bin) => ({
      processor: Number(processor),
      begin: bin * Number(width),
      end: (bin + 1) * Number(width),
      blocks,
    })),
  );
}

function heatPlot(result: HeatMap, unit: ClockUnit): TopLevelSpec {
  const interval = Number(result.interval);
  const values = result.pages.flatMap(({ address, counts }, index) =>
    counts.flatMap((accesses, bin) =>
      accesses === 0
        ? []
        : [{ page: address, y: index, y2: index + 1, begin: bin * interval, end: (bin + 1) * interval, accesses }],
    ),
  );
  return {
    title: `${result.accesses} accesses to ${result.pages.length} pages of ${result.pageBytes} bytes`,
    width: 900,
    height: Math.max(120, Math.min(800, 12 * result.pages.length)),
    data: { values },
    mark: 'rect',
    encoding: {
      x: { field: 'begin', type: 'quantitative', title: unit },
      x2: { field: 'end' },
      y: {
        field: 'y',
        type: 'quantitative',
        title: 'page, by address',
        scale: { domain: [0, Math.max(1, result.pages.length)] },
      },
      y2: { field: 'y2' },
      color: { field: 'accesses', type: 'quantitative', scale: { type: 'symlog', scheme: 'viridis' } },
    },
  };
}

function totalsPlot({ columns }: Totals): TopLevelSpec {
  return {
    title: 'Sums over all blocks',
    width: 600,
    data: { values: columns.map(({ name, sum }) => ({ name, sum: Number(sum) })) },
    mark: 'bar',
    encoding: {
      x: { field: 'sum', type: 'quantitative', title: 'sum' },
      y: { field: 'name', type: 'nominal', title: null, sort: null },
    },
  };
}

function progressPlot(result: Progress, unit: ClockUnit): TopLevelSpec {
  const interval = Number(result.interval);
  const series = (name: string, counts: readonly number[]): Rows =>
    counts.map((count, bin) => ({ series: name, at: bin * interval, count }));
  return {
    title: `${result.samples} samples of ${result.units} threads or warps`,
    width: 900,
    height: 300,
    data: { values: [...series('samples', result.samplesIn), ...series('running', result.activeIn)] },
    mark: { type: 'line', interpolate: 'step-after' },
    encoding: {
      x: { field: 'at', type: 'quantitative', title: unit },
      y: { field: 'count', type: 'quantitative', title: null },
      color: { field: 'series', type: 'nominal', title: null },
    },
  };
}
