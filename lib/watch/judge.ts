import type { Deps } from '../deps/deps';
import type { Measured, ReplayResult } from '../replay/result';
import { configure } from '../stages/configure';
import { stages } from '../stages/registry';
import { buildEdited, runStage } from '../stages/run';
import { exitCodes } from '../support/error-codes';
import { formatCount, type Reporter } from '../support/report';
import type { Stage } from '../stage/stage';
import type { Report } from '../validate/report-json';

/**
 * Builds, validates and compares with the captured code, in a line each: what was built, if anything was; the verdict;
 * of right code what it costs beside the captured code.
 */
export async function judgeInLines(reproducer: string, isCompared: boolean, deps: Deps): Promise<void> {
  const say = (line: string): void => deps.report.result(`${timeOf(deps.clock.now())} ${line}`);
  const run = <R>(stage: Stage, more: object): { result: Promise<R>; said: string[] } => {
    const said: string[] = [];
    const { values } = configure(stage, { reproducer, ...more, recompile: false }, deps.env);
    return { said, result: runStage<R>(stage, values, { ...deps, report: keeping(said, deps.report) }) };
  };
  const { values } = configure(stages.validate, { reproducer }, deps.env);
  await buildEdited({ ...values, recompile: true }, true, { ...deps, report: { ...deps.report, result: say } });
  const validation = run<Report>(stages.validate, {});
  const { verdict, code } = await validation.result;
  say(`${code === 'captured' ? 'the captured code: ' : ''}${verdictLine(validation.said)}`);
  if (!isCompared || verdict !== 'pass' || code !== 'variant') return;
  const line = costLine(await run<ReplayResult>(stages.replay, { compare: true }).result);
  if (line !== null) say(line);
}

/** Keeps results, and passes on only what a line of a result cannot say. */
function keeping(said: string[], report: Reporter): Reporter {
  return {
    info: () => undefined,
    warn: (line) => report.warn(line),
    output: (chunk) => report.output(chunk),
    result: (line) => said.push(line),
    progress: (now) => report.progress?.(now),
  };
}

const timeOf = (now: Date): string => now.toTimeString().slice(0, 8);

/** The result, and the place in the source that a failure names in a line before it. */
function verdictLine(said: readonly string[]): string {
  const place = said.findLast((line) => /^(?:edited )?at /.test(line));
  return [said.findLast((line) => line.startsWith('Result: ')), place].filter((line) => line !== undefined).join(' ');
}

export function costLine(
  result: Pick<ReplayResult, 'baseline' | 'duration_ns' | 'speed' | 'exit_code' | 'counters'>,
): string | null {
  const { baseline, duration_ns: durationNs, speed, exit_code: exitCode } = result;
  if (exitCode !== exitCodes.pass || baseline === null) return null;
  if (durationNs !== null && baseline.duration_ns !== null) {
    const words = speed === null ? '' : `, ${speed.ratio.toFixed(3)}×: ${speed.verdict}`;
    return `captured ${microseconds(baseline.duration_ns.median)}, variant ${microseconds(durationNs.median)}${words}`;
  }
  return countsLine(baseline.counters, result.counters);
}

const microseconds = (ns: number): string => `${(ns / 1000).toFixed(2)} µs`;

/** Number of counters shown beside the executed instructions. */
const mostCounters = 2;

/** Executed instructions, and what has changed most beside them. */
function countsLine(captured: Measured['counters'], variant: Measured['counters']): string | null {
  const counts = Object.keys(captured).map((name) => ({
    name,
    before: captured[name]?.median ?? 0,
    after: variant[name]?.median ?? 0,
  }));
  const change = ({ before, after }: { before: number; after: number }): number => Math.abs(Math.log(after / before));
  const main = counts.filter(({ name }) => name === 'wave_instructions');
  const others = counts
    .filter((one) => !main.includes(one) && one.before > 0 && one.after > 0 && one.before !== one.after)
    .toSorted((a, b) => change(b) - change(a))
    .slice(0, mostCounters);
  const words = [...main, ...others].map(
    ({ name, before, after }) =>
      `${name} ${formatCount(Math.round(before))} → ${formatCount(Math.round(after))} (${(after / before).toFixed(3)}×)`,
  );
  return words.length === 0 ? null : words.join(', ');
}
