import { formatBytes, formatCount, table, type Reporter } from '../support/report';
import { counted } from '../support/format';
import type { ClockUnit } from './clock-unit';
import type { Analysed, BlockSched, HeatMap, Progress, Totals } from './result';

const decimal = (hex: string): string => formatCount(BigInt(hex));
const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
const mostRows = 20;

/** Prints the answer first, then a table with its parts. */
export function printAnalysis(result: Analysed, unit: ClockUnit, report: Reporter): void {
  switch (result.analysis) {
    case 'block-sched':
      return printBlockSched(result, unit, report);
    case 'heat-map':
      return printHeatMap(result, unit, report);
    case 'totals':
      return printTotals(result, report);
    case 'progress':
      return printProgress(result, report);
  }
}

function printRows(rows: readonly (readonly string[])[], report: Reporter): void {
  for (const line of table(rows.slice(0, mostRows + 1))) report.result(line);
  if (rows.length > mostRows + 1) report.result(`… and ${rows.length - 1 - mostRows} more`);
}

function printBlockSched(result: BlockSched, unit: ClockUnit, report: Reporter): void {
  report.result(
    `${counted(result.blocks, 'block')} on ${counted(result.processors.length, 'processor')} in ${decimal(result.cycles)} ${unit}s: ` +
      `idle ${percent(result.idle_share)}, tail ${decimal(result.tail_cycles)} ${unit}s (${percent(result.tail_share)})`,
  );
  if (result.unwritten_units > 0) report.warn(`${formatCount(result.unwritten_units)} warps have no record`);
  if (result.blocks_on_several > 0) {
    report.warn(`the warps of ${formatCount(result.blocks_on_several)} blocks name several processors`);
  }
  const rows = result.processors.map((row) => [
    String(row.id),
    formatCount(row.blocks),
    String(row.lanes),
    decimal(row.busy),
    percent(row.idle_share),
    decimal(row.gap_cycles),
  ]);
  printRows([['processor', 'blocks', 'at a time', `busy ${unit}s`, 'idle', 'gaps'], ...rows], report);
}

function printHeatMap(result: HeatMap, unit: ClockUnit, report: Reporter): void {
  report.result(
    `${counted(result.accesses, 'access', 'accesses')} to ${counted(result.pages.length, 'page')} of ${formatBytes(result.page_bytes)} ` +
      `in ${formatCount(BigInt(result.last_clock) - BigInt(result.first_clock))} ${unit}s; ${formatCount(result.empty)} slots are empty`,
  );
  const busiest = [...result.pages].sort((a, b) => b.accesses - a.accesses);
  const isNamed = result.pages.some(({ array }) => array !== null);
  const rows = busiest.map(({ address, array, accesses, counts }) => [
    address,
    ...(isNamed ? [array ?? ''] : []),
    formatCount(accesses),
    `${counts.filter((count) => count > 0).length} of ${counts.length}`,
  ]);
  printRows([['page', ...(isNamed ? ['array'] : []), 'accesses', 'intervals with any'], ...rows], report);
}

function printTotals(result: Totals, report: Reporter): void {
  const rows = result.columns.map((column) => [
    column.name,
    `${decimal(column.sum)}${column.is_beyond ? ' + n * 2^64' : ''}`,
    formatCount(column.units),
    decimal(column.least_block),
    decimal(column.most_block),
  ]);
  printRows([['field', 'sum', 'threads or warps', 'least of a block', 'most of a block'], ...rows], report);
}

function printProgress(result: Progress, report: Reporter): void {
  report.result(
    `${formatCount(result.samples)} samples of ${formatCount(result.units)} threads or warps, ${formatCount(result.least_samples)} to ` +
      `${formatCount(result.most_samples)} each, from clock ${decimal(result.first_clock)} to ${decimal(result.last_clock)}`,
  );
  if (result.full_units > 0) {
    report.warn(
      `${formatCount(result.full_units)} threads or warps filled every slot: what they did afterwards is not in the trace, or was written into the slots of a neighbour`,
    );
  }
  if (result.unordered > 0)
    report.warn(`${formatCount(result.unordered)} samples come before the one that precedes them`);
}
