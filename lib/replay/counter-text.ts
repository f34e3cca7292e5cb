import { formatCount, table } from '../support/report';
import { inCounterOrder } from './counter-order';
import type { Measured, Statistics } from './result';

type Counts = Measured['counters'];

const whole = (value: number): string => formatCount(Math.round(value));
const median = (counts: Counts, name: string): number => counts[name]?.median ?? 0;

/** Table of the software GPU's counters: exact counts, never times. Zeros are left out. */
export function counterTable(counters: Counts): string[] {
  const rows = Object.entries(counters).filter(([, { max }]) => max > 0);
  if (rows.length === 0) return [];
  const varies = ([, { min, max }]: [string, Statistics]): boolean => min !== max;
  if (!rows.some(varies)) {
    return [
      ...table([['', 'count'], ...rows.map(([name, count]) => [name, whole(count.median)])]),
      ...ratios(counters),
    ];
  }
  return [
    ...table([
      ['', 'median', 'min', 'max'],
      ...rows.map(([name, count]) => [name, whole(count.median), whole(count.min), whole(count.max)]),
    ]),
    'the figures vary: what this kernel executes depends on the order of its waves',
  ];
}

/** Compares counter by counter; the counts are exact, so every difference is real. */
export function counterComparison(captured: Counts, variant: Counts): string[] {
  const names = inCounterOrder([...Object.keys(variant), ...Object.keys(captured)]).filter(
    (name) => median(captured, name) > 0 || median(variant, name) > 0,
  );
  if (names.length === 0) return [];
  const differing = names.filter((name) => median(captured, name) !== median(variant, name));
  const verdict =
    differing.length === 0
      ? `all ${names.length} figures are the same`
      : `${differing.length} of ${names.length} figures differ`;
  return [
    ...table([
      ['median', 'captured', 'variant', 'difference', 'ratio'],
      ...names.map((name) => [name, ...compared(median(captured, name), median(variant, name))]),
    ]),
    verdict,
  ];
}

function compared(before: number, after: number): string[] {
  const difference = Math.round(after - before);
  const sign = difference > 0 ? '+' : '';
  return [
    whole(before),
    whole(after),
    difference === 0 ? '-' : `${sign}${formatCount(difference)}`,
    before > 0 ? `${(after / before).toFixed(3)}×` : '-',
  ];
}

/** Ratios that interpret the counts. */
function ratios(counters: Counts): string[] {
  const of = (name: string): number => median(counters, name);
  const lines: string[] = [];
  if (of('valu') > 0)
    lines.push(`lanes active in vector ALU instructions: ${(of('valu_lanes') / of('valu')).toFixed(1)}`);
  const moved = of('lane_bytes');
  if (moved > 0 && of('memory_transactions') > 0)
    lines.push(`bytes a memory transaction of 64: ${(moved / of('memory_transactions')).toFixed(1)}`);
  if (of('lds_passes') > 0) {
    const conflicts = of('lds_bank_conflicts') + of('lds_address_conflicts');
    lines.push(`passes through LDS lost to conflicts: ${((100 * conflicts) / of('lds_passes')).toFixed(1)}%`);
  }
  return lines;
}
