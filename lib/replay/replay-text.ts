import { join, relative } from 'node:path';
import { explanationLines } from '../advice/advice-text';
import type { Device } from '../device/device';
import type { Deps } from '../deps/deps';
import { timeWords } from '../device/emulated-driver';
import { formatBytes, formatCount, table } from '../support/report';
import { conditionsWords, type Conditions } from './conditions';
import { counterComparison, counterTable } from './counter-text';
import { hotSpotTable } from './hot-spot-text';
import { cacheLines } from './caches';
import { guardLine } from './guard';
import { describeOverrides } from './overrides';
import { nameOfDispatch } from './captured-dispatches';
import type { DispatchResult, Interval, Measured, ReplayResult, Speed, Statistics } from './result';
import { checkLine, foundWords } from './check';
import { lensLine } from './lens';
import { faultLines, faultSummary } from './fault-lines';
import { sourceOfFault } from './fault-source';
import type { ReplaySession } from './session';
import { processCount } from './speed';

/** Prints several dispatches each below its own line; the last line sums them up. */
export function printReplay(result: ReplayResult, session: ReplaySession, deps: Deps): void {
  const { device } = session;
  const several = result.dispatches;
  const lines =
    several.length > 0
      ? several.flatMap((one) => dispatchLines(one, session))
      : [...figureLines(result, device), ...stopLines(result, session)];
  for (const { dispatch, capture: shown, kernel } of result.not_replayed)
    lines.push(`not replayed: ${nameOfDispatch({ dispatch, shown })} is of ${kernel}`);
  lines.push(`Result: ${several.length > 0 ? outcomeOfAll(several, session) : outcomeOf(result, session)}`);
  for (const line of [`${result.kernel}: ${result.code}`, ...lines]) deps.report.result(line);
}

function dispatchLines(result: DispatchResult, session: ReplaySession): string[] {
  const { dispatch, capture: shown } = result;
  return [
    `${nameOfDispatch({ dispatch, shown })}: ${outcomeOf(result, session)}`,
    ...figureLines(result, session.device),
    ...stopLines(result, session),
  ];
}

/** The place of a fault; the line that sums up says what happened. */
function stopLines({ verdict, fault, stopped }: DispatchResult, session: ReplaySession): string[] {
  if (verdict !== 'fault' || !fault) return [];
  if (stopped === 'captured') return faultLines(fault, { ...session, code: { kind: 'captured' }, facts: null });
  const source = sourceOfFault(fault, session);
  const at = source && relative(process.cwd(), join(session.reproducer.root, source.file));
  return [...faultLines(fault, session), ...(source ? [`at ${at}:${source.line}`] : [])];
}

function figureLines(result: DispatchResult, device: Device): string[] {
  return [
    `restored ${result.restored.regions} regions, ${formatBytes(result.restored.bytes)}${restoredWords(result.restored)}`,
    ...(result.launch === 'hip' ? ['launched by the HIP runtime'] : []),
    ...(result.guard ? [guardLine(result.guard)] : []),
    ...(result.overridden
      ? [
          `${result.overridden.of_variant === true ? 'launched as its source says' : 'overridden'}: ${describeOverrides(result.overridden)}`,
        ]
      : []),
    ...(result.caches ? cacheLines(result.caches) : []),
    ...(device.work === 'duration_ns' ? times(result, timeWords(device.description)) : counts(result)),
    ...explanations(result),
    ...(result.lens ? [lensLine(result.lens)] : []),
    ...(result.check ? [checkLine(result.check)] : []),
  ];
}

function restoredWords({
  host_bytes: hostBytes = 0,
  dropped_bytes: droppedBytes = 0,
}: ReplayResult['restored']): string {
  const host = hostBytes > 0 ? ` (regions of ${formatBytes(hostBytes)} in memory of the host)` : '';
  const dropped =
    droppedBytes > 0 ? `; ${formatBytes(droppedBytes)} were dropped (--shrink): code that touches them faults` : '';
  return host + dropped;
}

function outcomeOfAll(results: readonly DispatchResult[], session: ReplaySession): string {
  const stopped = results.filter(({ verdict }) => verdict !== 'ran');
  const [first] = stopped;
  if (!first) return `RAN (${results.length} captured dispatches; ${comparedInAll(results)})`;
  return `FAIL (${stopped.length} of ${results.length} captured dispatches; dispatch ${first.dispatch}: ${outcomeOf(first, session)})`;
}

/** Each dispatch has its own line on what was found, so that only findings of all are said here. */
function comparedInAll(results: readonly DispatchResult[]): string {
  const found = new Set(results.map(({ check }) => check && foundWords(check)));
  const [only] = found;
  if (found.size === 1) return only ? `${only}; validate judges` : 'nothing was compared: validate does that';
  return 'what was compared differs by dispatch; validate judges';
}

const microseconds = (ns: number): string => (ns / 1000).toFixed(2);

function times(result: DispatchResult, words: string): string[] {
  const row = (name: string, { duration_ns: durationNs }: Measured): string[][] =>
    durationNs ? [[name, ...timeColumns(durationNs)]] : [];
  const rows = [...(result.baseline ? row('captured', result.baseline) : []), ...row('this code', result)];
  if (rows.length === 0) return [];
  const header = [`${words}, µs`, 'median', '95% CI', 'min', 'p10', 'p90', 'max', 'samples'];
  const how = [result.cache && `${result.cache} cache`, result.timer && `timed by ${result.timer}`].filter(Boolean);
  return [
    ...table([header, ...rows]),
    ...(how.length > 0 ? [how.join(', ')] : []),
    ...conditionLines(result),
    ...(result.speed ? [speedLine(result.speed, result.duration_ns?.median ?? 0)] : []),
    ...result.doubts,
  ];
}

function conditionLines({ baseline, conditions }: DispatchResult): string[] {
  const line = (whose: string, of: Conditions | null): string[] => {
    const words = of ? conditionsWords(of) : '';
    return words ? [`the GPU${whose}: ${words}`] : [];
  };
  return baseline
    ? [...line(' after the captured code', baseline.conditions), ...line(' after this code', conditions)]
    : line('', conditions);
}

function timeColumns({ count, median, ci95, min, p10, p90, max }: Statistics): string[] {
  return [
    microseconds(median),
    ci95 ? interval(ci95, microseconds) : '-',
    ...[min, p10, p90, max].map(microseconds),
    formatCount(count),
  ];
}

/** Clock step relative to the time beyond which the step is printed. */
const fineClock = 0.001;

function speedLine(
  { verdict, ratio, ci95, rounds, processes, clock_step_ns: clockStepNs = 0 }: Speed,
  medianNs: number,
): string {
  const shown = (value: number): string => value.toFixed(3);
  const within = ci95
    ? `95% CI ${interval(ci95, shown)}`
    : rounds < 6 || processes < processCount
      ? `no interval: that takes 6 rounds in ${processCount} processes`
      : 'no interval: the clock is too coarse for it';
  const clock = clockStepNs > fineClock * medianNs ? `; the clock steps by ${formatCount(clockStepNs)} ns` : '';
  return `this code / captured: ${shown(ratio)}× (${within}; ${rounds} rounds in ${processes} processes${clock}): ${verdict}`;
}

/** The ratio, unless the variant is wrong or the times are doubted: a fast variant that is wrong is not a fast variant. */
function speedWords({ speed, check, doubts }: DispatchResult): string {
  if (speed === null || check === null || check.variant.differing_bytes > 0 || doubts.length > 0) return '';
  const { verdict, ratio } = speed;
  if (verdict === 'undecided') return '; which is faster is undecided';
  return `; the variant took ${ratio.toFixed(3)}× the time of the captured code: ${verdict}`;
}

function interval({ low, high }: Interval, show: (value: number) => string): string {
  return `${show(low)}–${show(high)}`;
}

/** Counters of the software GPU. */
function counts({ counters, hot_spots: hotSpots, baseline }: DispatchResult): string[] {
  const figures = baseline ? counterComparison(baseline.counters, counters) : counterTable(counters);
  return [
    ...figures,
    ...(baseline?.hot_spots ? hotSpotTable(baseline.hot_spots, 'hot spots of the captured code') : []),
    ...(hotSpots ? hotSpotTable(hotSpots, baseline ? 'hot spots of the variant' : 'hot spots') : []),
  ];
}

function explanations({ baseline, explanation }: DispatchResult): string[] {
  const lines = (side: string, of: Measured['explanation']): string[] =>
    of ? explanationLines(of, `what limits ${side}:`) : [];
  return [
    ...lines('the captured code', baseline?.explanation ?? null),
    ...lines(baseline ? 'the variant' : 'this code', explanation),
  ];
}

function outcomeOf(result: DispatchResult, session: ReplaySession): string {
  const replays = `${formatCount(result.iterations)} ${result.iterations === 1 ? 'replay' : 'replays'}`;
  if (result.verdict === 'ran') {
    if (result.overridden && result.overridden.of_variant !== true)
      return `RAN (${replays} of another launch than the captured one; nothing was compared: the app never computed this)`;
    return `RAN (${replays}; ${result.check ? `${foundWords(result.check)}${speedWords(result)}; validate judges` : 'nothing was compared: validate does that'})`;
  }
  const who = !result.baseline ? '' : result.stopped === 'captured' ? 'the captured code: ' : 'the variant: ';
  const what = `${who}${result.verdict === 'limit' ? 'ran past its limit' : 'the device faulted'}`;
  return `FAIL (${what}${result.fault ? `: ${faultSummary(result.fault, session)}` : ''})`;
}
