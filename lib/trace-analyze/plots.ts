import type { TopLevelSpec } from 'vega-lite';
import { counted, formatBytes, formatCount } from '../support/format';
import type { ClockUnit } from './clock-unit';
import { clockOrigins, readIntervals } from './intervals';
import type { TraceAnalyzeOptions } from './options';
import type { Analysed, BlockSched, HeatMap, Progress, Totals } from './result';

type Rows = readonly Readonly<Record<string, string | number>>[];

/** A plot of which the title can be taken. */
type TitledPlot = TopLevelSpec & { title: string };

/** Maximum number of bars that are readable: above it, the plot shows how many blocks ran at a time. */
const mostBars = 4000;

/** A page has dark and light colours by name; a picture has a white ground. */
export type Ground = 'page' | 'picture';

export function plotOf(
  result: Analysed,
  intervals: string,
  options: TraceAnalyzeOptions,
  unit: ClockUnit,
  ground: Ground = 'picture',
): TitledPlot {
  switch (result.analysis) {
    case 'block-sched':
      return blockPlot(result, intervals, options, unit);
    case 'heat-map':
      return heatPlot(result, unit, ground);
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
): TitledPlot {
  const origin = clockOrigins(result.processors, alignClocks);
  const title = `Blocks by processor: idle ${(result.idle_share * 100).toFixed(1)}%, tail ${(result.tail_share * 100).toFixed(1)}%`;
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
        x: { field: 'begin', type: 'quantitative', title: clockTitle(unit), scale: untilTheEnd },
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
      x: { field: 'start', type: 'quantitative', title: clockTitle(unit), scale: untilTheEnd },
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
    row
      .filter((_, bin) => BigInt(bin) * width < BigInt(result.cycles))
      .map((blocks, bin) => ({
        processor: Number(processor),
        begin: bin * Number(width),
        end: Math.min((bin + 1) * Number(width), Number(result.cycles)),
        blocks,
      })),
  );
}

function heatPlot(result: HeatMap, unit: ClockUnit, ground: Ground): TitledPlot {
  const interval = Number(result.interval);
  const values = result.pages.flatMap(({ address, counts }, index) =>
    counts.flatMap((accesses, bin) =>
      accesses === 0
        ? []
        : [{ page: address, y: index, y2: index + 1, begin: bin * interval, end: (bin + 1) * interval, accesses }],
    ),
  );
  const groups = groupsOf(result);
  const labels = Object.fromEntries(groups.map(({ first, count, label }) => [first + count / 2, label]));
  const rows = Math.max(1, result.pages.length);
  const y = { type: 'quantitative' as const, scale: { domain: [rows, 0], nice: false } };
  return {
    title: `${counted(result.accesses, 'access', 'accesses')} to ${counted(result.pages.length, 'page')} of ${formatBytes(result.page_bytes)}`,
    width: 900,
    height: Math.max(240, Math.min(600, 24 * rows)),
    ...(ground === 'page' ? { view: { fill: 'var(--d0)' } } : {}),
    layer: [
      {
        data: { values },
        mark: 'rect',
        encoding: {
          x: { field: 'begin', type: 'quantitative', title: clockTitle(unit), scale: untilTheEnd },
          x2: { field: 'end' },
          y: {
            ...y,
            field: 'y',
            title: null,
            axis: {
              values: Object.keys(labels).map(Number),
              // Names are data in this expression, never a part of it.
              labelExpr: `(${JSON.stringify(labels)})[datum.value]`,
              labelOverlap: 'greedy',
              labelFontSize: 12,
              ticks: false,
              grid: false,
            },
          },
          y2: { field: 'y2' },
          color: {
            field: 'accesses',
            type: 'quantitative',
            title: 'accesses',
            scale: ground === 'page' ? namedColours(values) : { type: 'symlog', scheme: 'viridis' },
          },
        },
      },
      // Lines between arrays.
      {
        data: { values: groups.slice(1).map(({ first }) => ({ first })) },
        mark: { type: 'rule', strokeWidth: 0.5 },
        encoding: { y: { ...y, field: 'first' } },
      },
    ],
  };
}

/** Four colours, each for the same factor between counts. */
function namedColours(values: readonly { accesses: number }[]): object {
  const counts = values.map(({ accesses }) => accesses);
  const [least, most] = [counts.reduce((a, b) => Math.min(a, b), Infinity), counts.reduce((a, b) => Math.max(a, b), 1)];
  const between = [1, 2, 3].map((step) => Math.ceil(least * (most / least) ** (step / 4)));
  const domain = [...new Set(between)].filter((count) => count > least);
  const range = ['var(--d1)', 'var(--d2)', 'var(--d3)', 'var(--d4)'];
  return { type: 'threshold', domain, range: [...range.slice(0, domain.length), 'var(--d4)'] };
}

/** Neighbouring pages of the same arrays, under the name of these; a page of unknown memory is named by its address. */
function groupsOf({ pages }: HeatMap): { first: number; count: number; label: string }[] {
  const groups: { first: number; count: number; label: string }[] = [];
  for (const [index, { address, array }] of pages.entries()) {
    const last = groups.at(-1);
    if (last && array !== null && last.label === array) last.count += 1;
    else groups.push({ first: index, count: 1, label: array ?? address });
  }
  return groups;
}

/** An axis that ends with the data: behind it, empty time would look like idle processors. */
const untilTheEnd = { nice: false } as const;

const clockTitle = (unit: ClockUnit): string =>
  unit === 'cycle' ? 'cycles' : 'wave order in wave-instructions, not a time';

/** The plot with sentences that teach how to read it, for a picture that has no text around it. */
export const taught = (plot: TitledPlot, sentences: readonly string[]): TopLevelSpec => ({
  ...plot,
  title: { text: plot.title, subtitle: [...sentences], anchor: 'start' },
});

/** Sentences that teach how to read the plot of an analysis. */
export function readingOf(result: Analysed, unit: ClockUnit): string[] {
  const order =
    unit === 'cycle'
      ? []
      : [
          'The software GPU runs waves one after another, in an order that --seed decides. What is further right ran later here; on a GPU it may run at the same time.',
        ];
  switch (result.analysis) {
    case 'heat-map':
      return [
        'Each row is a page of the array on the left, in the order of addresses. Each cell is an interval, and its colour counts the accesses. Empty: none.',
        'A diagonal: waves go through the array one part after another. A full row: all waves share that page. A full column: a wave goes over the whole array.',
        ...order,
      ];
    case 'block-sched':
      return ['Each bar is a block, in a lane of the processor that ran it. Gaps are idle time of the lane.', ...order];
    case 'progress':
      return [
        'Samples of each interval, and how many threads or warps were between their first and last one.',
        ...order,
      ];
    case 'totals':
      return [];
  }
}

function totalsPlot({ columns }: Totals): TitledPlot {
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

function progressPlot(result: Progress, unit: ClockUnit): TitledPlot {
  const interval = Number(result.interval);
  const series = (name: string, counts: readonly number[]): Rows =>
    counts.map((count, bin) => ({ series: name, at: bin * interval, count }));
  return {
    title: `${formatCount(result.samples)} samples of ${formatCount(result.units)} threads or warps`,
    width: 900,
    height: 300,
    data: { values: [...series('samples', result.samples_in), ...series('running', result.active_in)] },
    mark: { type: 'line', interpolate: 'step-after' },
    encoding: {
      x: { field: 'at', type: 'quantitative', title: clockTitle(unit), scale: untilTheEnd },
      y: { field: 'count', type: 'quantitative', title: null },
      color: { field: 'series', type: 'nominal', title: null },
    },
  };
}
