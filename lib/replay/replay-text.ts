import type { Deps } from '../support/deps';
import { formatBytes, formatCount, table } from '../support/report';
import { counterComparison, counterTable } from './counter-text';
import { hotSpotTable } from './hot-spot-text';
import { cacheLines } from './caches';
import { guardLine } from './guard';
import { describeOverrides } from './overrides';
import type { Interval, Measured, ReplayResult, Speed, Statistics } from './result';
import type { ReplaySession } from './session';
import { checkLine } from './check';
import { processCount } from './speed';

export function printReplay(result: ReplayResult, { device }: ReplaySession, deps: Deps): void {
  deps.report.result(`${result.kernel}: ${result.code}`);
  deps.report.result(`restored ${result.restored.regions} regions, ${formatBytes(result.restored.bytes)}`);
  if (result.launch === 'hip') deps.report.result('launched by the HIP runtime');
  if (result.guard) deps.report.result(guardLine(result.guard));
  if (result.overridden) deps.report.result(`overridden: ${describeOverrides(result.overridden)}`);
  if (result.caches) for (const line of cacheLines(result.caches)) deps.report.result(line);
  const lines = device.work === 'duration_ns' ? times(result) : counts(result);
  for (const line of lines) deps.report.result(line);
  if (result.check) deps.report.result(checkLine(result.check));
  deps.report.result(resultLine(result));
}

const microseconds = (ns: number): string => (ns / 1000).toFixed(2);

function times(result: ReplayResult): string[] {
  const row = (name: string, { durationNs }: Measured): string[][] =>
    durationNs ? [[name, ...timeColumns(durationNs)]] : [];
  const rows = [...(result.baseline ? row('captured', result.baseline) : []), ...row('this code', result)];
  if (rows.length === 0) return [];
  const header = ['GPU time, µs', 'median', '95% CI', 'min', 'p10', 'p90', 'max', 'samples'];
  const how = [result.cache && `${result.cache} cache`, result.timer && `timed by ${result.timer}`].filter(Boolean);
  return [
    ...table([header, ...rows]),
    ...(how.length > 0 ? [how.join(', ')] : []),
    ...(result.speed ? [speedLine(result.speed)] : []),
  ];
}

function timeColumns({ count, median, ci95, min, p10, p90, max }: Statistics): string[] {
  return [
    microseconds(median),
    ci95 ? interval(ci95, microseconds) : '-',
    ...[min, p10, p90, max].map(microseconds),
    formatCount(count),
  ];
}

function speedLine({ verdict, ratio, ci95, rounds, processes }: Speed): string {
  const shown = (value: number): string => value.toFixed(3);
  const within = ci95
    ? `95% CI ${interval(ci95, shown)}`
    : `no interval: that takes 6 rounds in ${processCount} processes`;
  return `this code / captured: ${shown(ratio)}× (${within}; ${rounds} rounds in ${processes} processes): ${verdict}`;
}

function interval({ low, high }: Interval, show: (value: number) => string): string {
  return `${show(low)}–${show(high)}`;
}

/** Of the software GPU. */
function counts({ counters, hotSpots, baseline }: ReplayResult): string[] {
  const figures = baseline ? counterComparison(baseline.counters, counters) : counterTable(counters);
  return [
    ...figures,
    ...(baseline?.hotSpots ? hotSpotTable(baseline.hotSpots, 'hot spots of the captured code') : []),
    ...(hotSpots ? hotSpotTable(hotSpots, baseline ? 'hot spots of the variant' : 'hot spots') : []),
  ];
}

function resultLine(result: ReplayResult): string {
  const replays = `${formatCount(result.iterations)} ${result.iterations === 1 ? 'replay' : 'replays'}`;
  if (result.verdict === 'ran') {
    if (result.overridden)
      return `Result: RAN (${replays} of another launch than the captured one; nothing was compared: the app never computed this)`;
    return `Result: RAN (${replays}; ${result.check ? 'validate judges' : 'nothing was compared: validate does that'})`;
  }
  const who = !result.baseline ? '' : result.stopped === 'captured' ? 'the captured code: ' : 'the variant: ';
  const what = `${who}${result.verdict === 'limit' ? 'ran past its limit' : 'the device faulted'}`;
  return `Result: FAIL (${what}${result.fault ? `: ${result.fault}` : ''})`;
}
