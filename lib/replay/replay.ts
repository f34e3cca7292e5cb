import { resolve } from 'node:path';
import { withDevice } from '../device/lock';
import type { Deps } from '../support/deps';
import { exitCodes } from '../support/error-codes';
import { formatBytes, formatCount, table } from '../support/report';
import { describeFault } from '../capture/self-check';
import type { ReplayOptions } from './options';
import { replayOnce, type ReplayOutcome } from './program';
import { describeCode, openSession, type ReplaySession } from './session';
import { statistics, type Statistics } from './statistics';

export interface ReplayResult {
  kernel: string;
  code: string;
  verdict: 'ran' | 'fault' | 'limit';
  exitCode: number;
  iterations: number;
  /** On hardware only: time on the software GPU says nothing about a GPU. */
  durationNs: Statistics | null;
  /** On the software GPU: what was executed. */
  counters: Record<string, Statistics>;
  fault: string | null;
}

/** Replays the captured dispatch, or a variant of it, and tells what it took. */
export async function replay(options: ReplayOptions, deps: Deps): Promise<ReplayResult> {
  const session = openSession(options, deps);
  const request = {
    ...session.request,
    iterations: options.iterations,
    warmup: options.warmup,
    seed: options.seed,
    ...(options.threads === undefined ? {} : { threads: options.threads }),
    ...(options.dump === undefined ? {} : { dump: resolve(options.dump) }),
  };
  const outcome = await withDevice(session.device, deps, () => replayOnce(request, session.device, deps));
  const result = summarise(session, outcome);
  report(result, outcome, deps);
  return result;
}

function summarise(session: ReplaySession, { iterations, faults, result }: ReplayOutcome): ReplayResult {
  const onHardware = session.device.work === 'duration_ns';
  const durations = iterations.flatMap(({ duration_ns: duration }) => (typeof duration === 'number' ? [duration] : []));
  const stopped = result.verdict === 'fault' || result.verdict === 'limit';
  return {
    kernel: session.capture.kernel.name,
    code: describeCode(session.code),
    verdict: stopped ? (result.verdict as 'fault' | 'limit') : 'ran',
    exitCode: stopped ? exitCodes.fault : exitCodes.pass,
    iterations: iterations.length,
    durationNs: onHardware && durations.length > 0 ? statistics(durations) : null,
    counters: onHardware ? {} : counterStatistics(iterations.map(({ counters }) => counters ?? {})),
    fault: faults[0] ? describeFault(faults[0]) : null,
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
  const rows = result.durationNs
    ? [row('duration_ns', result.durationNs)]
    : Object.entries(result.counters).map(([name, values]) => row(name, values));
  if (rows.length > 0) for (const line of table([['', 'median', 'min', 'max'], ...rows])) deps.report.result(line);
  deps.report.result(resultLine(result));
}

function row(name: string, { median, min, max }: Statistics): string[] {
  return [name, ...[median, min, max].map((value) => formatCount(Math.round(value)))];
}

function resultLine(result: ReplayResult): string {
  const times = `${formatCount(result.iterations)} ${result.iterations === 1 ? 'replay' : 'replays'}`;
  if (result.verdict === 'ran') return `Result: PASS (${times}; not compared: validate does that)`;
  const what = result.verdict === 'limit' ? 'ran past its limit' : 'the device faulted';
  const why = `${what}${result.fault ? `: ${result.fault}` : ''}`;
  return `Result: FAIL (${why})`;
}
