import { resolve } from 'node:path';
import { withDevice } from '../device/lock';
import type { Deps } from '../support/deps';
import { KernloopError } from '../support/error';
import { exitCodes } from '../support/error-codes';
import { formatBytes, formatCount, table } from '../support/report';
import { describeFault } from '../capture/self-check';
import type { ReplayOptions } from './options';
import { replayOnce, type ReplayOutcome, type ReplayRequest } from './program';
import { describeCode, openSession, type ReplaySession } from './session';
import { statistics, type Statistics } from './statistics';

export interface Measured {
  /** On hardware only: time on the software GPU says nothing about a GPU. */
  durationNs: Statistics | null;
  /** On the software GPU: what was executed. */
  counters: Record<string, Statistics>;
}

export interface ReplayResult extends Measured {
  kernel: string;
  code: string;
  verdict: 'ran' | 'fault' | 'limit';
  exitCode: number;
  iterations: number;
  fault: string | null;
  /** The captured code, where it was replayed beside a variant. */
  baseline: Measured | null;
}

/** Replays the captured dispatch, or a variant of it, and tells what it took. */
export async function replay(options: ReplayOptions, deps: Deps): Promise<ReplayResult> {
  const session = await openSession(options, deps);
  if (options.compare && session.code.kind === 'captured') {
    throw new KernloopError(
      'USAGE',
      `there is no variant to compare with: this is ${describeCode(session.code)}`,
      'edit and recompile, or name a code object with --variant',
    );
  }
  const { variant, baseline } = await withDevice(session.device, deps, () => replayInTurns(session, options, deps));
  const result = summarise(session, variant);
  if (baseline) result.baseline = measure(session, baseline);
  report(result, variant, deps);
  return result;
}

interface Turns {
  variant: ReplayOutcome;
  baseline: ReplayOutcome | null;
}

/** In turns, so that a clock that drifts or another user of the GPU meets both alike. Counts repeat: one turn is enough for them. */
async function replayInTurns(session: ReplaySession, options: ReplayOptions, deps: Deps): Promise<Turns> {
  const rounds = options.compare && session.device.work === 'duration_ns' ? Math.min(maxTurns, options.iterations) : 1;
  const { codeObject: _codeObject, symbol: _symbol, ...captured } = session.request;
  let turns: Turns | undefined;
  for (let round = 0; round < rounds; round += 1) {
    const iterations = Math.ceil((options.iterations - round) / rounds);
    const once = (request: ReplayRequest): Promise<ReplayOutcome> =>
      replayOnce({ ...request, ...measuring(options), iterations }, session.device, deps);
    const baseline = options.compare ? await once(captured) : null;
    const variant = await once({
      ...session.request,
      ...(options.dump === undefined ? {} : { dump: resolve(options.dump) }),
    });
    turns = { variant: append(turns?.variant, variant), baseline: baseline && append(turns?.baseline, baseline) };
    if (isStopped(variant) || (baseline && isStopped(baseline))) break;
  }
  if (!turns) throw new Error('there is at least one round');
  return turns;
}

const maxTurns = 10;

function measuring({ warmup, seed, threads }: ReplayOptions): Partial<ReplayRequest> {
  return { warmup, seed, ...(threads === undefined ? {} : { threads }) };
}

function append(before: ReplayOutcome | null | undefined, next: ReplayOutcome): ReplayOutcome {
  return before ? { ...next, iterations: [...before.iterations, ...next.iterations] } : next;
}

function isStopped({ result }: ReplayOutcome): boolean {
  return result.verdict === 'fault' || result.verdict === 'limit';
}

function summarise(session: ReplaySession, outcome: ReplayOutcome): ReplayResult {
  const { iterations, faults, result } = outcome;
  return {
    kernel: session.capture.kernel.name,
    code: describeCode(session.code),
    verdict: result.verdict === 'fault' || result.verdict === 'limit' ? result.verdict : 'ran',
    exitCode: isStopped(outcome) ? exitCodes.fault : exitCodes.pass,
    iterations: iterations.length,
    ...measure(session, outcome),
    fault: faults[0] ? describeFault(faults[0]) : null,
    baseline: null,
  };
}

function measure({ device }: ReplaySession, { iterations }: ReplayOutcome): Measured {
  const onHardware = device.work === 'duration_ns';
  const durations = iterations.flatMap(({ duration_ns: duration }) => (typeof duration === 'number' ? [duration] : []));
  return {
    durationNs: onHardware && durations.length > 0 ? statistics(durations) : null,
    counters: onHardware ? {} : counterStatistics(iterations.map(({ counters }) => counters ?? {})),
  };
}

function counterStatistics(iterations: readonly Record<string, number>[]): Record<string, Statistics> {
  // What limits and shares are counted in comes first.
  const names = [...new Set(['wave_instructions', ...iterations.flatMap((counters) => Object.keys(counters))])];
  return Object.fromEntries(
    names.flatMap((name) => {
      const samples = iterations.flatMap((counters) => counters[name] ?? []);
      return samples.length > 0 ? [[name, statistics(samples)]] : [];
    }),
  );
}

function report(result: ReplayResult, outcome: ReplayOutcome, deps: Deps): void {
  deps.report.result(`${result.kernel}: ${result.code}`);
  deps.report.result(`restored ${outcome.restored.regions} regions, ${formatBytes(outcome.restored.bytes)}`);
  const lines = result.baseline ? comparison(result.baseline, result) : measurements(result);
  for (const line of lines) deps.report.result(line);
  deps.report.result(resultLine(result));
}

function measurements(measured: Measured): string[] {
  const rows = named(measured).map(([name, { median, min, max }]) => [name, show(median), show(min), show(max)]);
  return rows.length > 0 ? table([['', 'median', 'min', 'max'], ...rows]) : [];
}

function comparison(baseline: Measured, variant: Measured): string[] {
  const before = new Map(named(baseline));
  const rows = named(variant).map(([name, { median }]) => {
    const captured = before.get(name)?.median ?? 0;
    return [name, show(captured), show(median), captured > 0 ? `${(median / captured).toFixed(3)}×` : '-'];
  });
  return table([['median', 'captured', 'variant', 'ratio'], ...rows]);
}

function named({ durationNs, counters }: Measured): [string, Statistics][] {
  return durationNs ? [['duration_ns', durationNs]] : Object.entries(counters);
}

function show(value: number): string {
  return formatCount(Math.round(value));
}

function resultLine(result: ReplayResult): string {
  const times = `${formatCount(result.iterations)} ${result.iterations === 1 ? 'replay' : 'replays'}`;
  if (result.verdict === 'ran') return `Result: RAN (${times}; nothing was compared: validate does that)`;
  const what = result.verdict === 'limit' ? 'ran past its limit' : 'the device faulted';
  const why = `${what}${result.fault ? `: ${result.fault}` : ''}`;
  return `Result: FAIL (${why})`;
}
