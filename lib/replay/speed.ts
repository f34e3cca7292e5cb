import type { IterationEvent, Side } from './replay-events';
import type { Interval, Speed } from './result';
import { medianInterval, quantile } from './statistics';

/** Processes of a comparison. Each places code and data differently, which a GPU's caches may favour for one side. */
export const processCount = 3;

/** Two-sided 95% quantile of Student's t with `processCount` - 1 degrees of freedom. */
const tOfProcesses = 4.303;

/** Launches of each side in one process: whole rounds of two; the last process takes the rest. */
export function launchesOf(process: number, iterations: number): number {
  const rounds = Math.floor(iterations / 2);
  const mine = Math.floor((rounds + processCount - 1 - process) / processCount);
  return 2 * mine + (process === processCount - 1 ? iterations % 2 : 0);
}

/** Compares the timed launches of both sides, process by process; null if nothing was timed. */
export function compareSpeed(processes: readonly (readonly IterationEvent[])[]): Speed | null {
  const perProcess = processes.map(ratiosOf).filter((ratios) => ratios.length > 0);
  const all = sorted(perProcess.flat());
  if (all.length === 0) return null;
  const step = clockStep(processes.flat());
  const ofRounds = intervalOf(all, perProcess);
  const ci95 = ofRounds && widenByClock(ofRounds, step, processes.flat());
  return {
    verdict: verdictOf(ci95),
    ratio: quantile(all, 0.5),
    ci95,
    rounds: all.length,
    processes: perProcess.length,
    clock_step_ns: step,
  };
}

/** Rounding of durations: with a clock of 32 ns, CUPTI reports 1,407, 1,408 and 1,409 ns for one duration. */
const roundingNs = 1;

/** Clock step: the smallest distance, if all durations are multiples of it. 1 without a step, 0 if all are equal. */
function clockStep(iterations: readonly IterationEvent[]): number {
  const durations = sorted(iterations.flatMap(({ duration_ns: duration }) => duration ?? []));
  const gaps = durations.slice(1).map((duration, index) => duration - (durations[index] ?? 0));
  const [gap] = sorted(gaps.filter((one) => one > 2 * roundingNs));
  if (gap === undefined) return durations[0] === durations.at(-1) ? 0 : 1;
  const steps = [0, 1, -1, 2, -2].map((off) => gap + off);
  const isWhole = (step: number) => (ns: number) => Math.abs(ns - Math.round(ns / step) * step) <= roundingNs;
  return steps.find((step) => durations.every(isWhole(step))) ?? 1;
}

/**
 * Widens the interval by the clock's step. A duration is the difference of two readings, each early by up to a step, so
 * it is off by at most a step. Every launch may start at the same point of a step, so averaging over launches does not
 * help. Null if a step is half of a duration.
 */
function widenByClock({ low, high }: Interval, step: number, iterations: readonly IterationEvent[]): Interval | null {
  const share = (wanted: Side): number =>
    step /
    quantile(sorted(iterations.flatMap(({ side, duration_ns: ns }) => (side === wanted ? (ns ?? []) : []))), 0.5);
  const [captured, variant] = [share('captured'), share('variant')];
  if (Math.max(captured, variant) > 0.5) return null;
  return { low: (low * (1 - variant)) / (1 + captured), high: (high * (1 + variant)) / (1 - captured) };
}

/** Ratios of complete rounds. Both sides have the same mean position in a round, so a drift cancels. */
function ratiosOf(iterations: readonly IterationEvent[]): number[] {
  const rounds = new Map<number, Record<Side, number[]>>();
  for (const { side, round, duration_ns: duration } of iterations) {
    if (!side || typeof round !== 'number' || typeof duration !== 'number' || duration <= 0) continue;
    const times = rounds.get(round) ?? { captured: [], variant: [] };
    times[side].push(duration);
    rounds.set(round, times);
  }
  return [...rounds.values()].flatMap(({ captured, variant }) =>
    captured.length === 2 && variant.length === 2 ? [Math.sqrt(product(variant) / product(captured))] : [],
  );
}

/**
 * Hull of two intervals: the distribution-free one of the median of all rounds, and Student's over the medians of the
 * processes, because no number of rounds within a process averages out differences between processes.
 */
function intervalOf(all: readonly number[], perProcess: readonly (readonly number[])[]): Interval | null {
  const ofRounds = medianInterval(all);
  if (!ofRounds || perProcess.length < processCount) return null;
  const logs = perProcess.map((ratios) => Math.log(quantile(sorted(ratios), 0.5)));
  const mean = logs.reduce((sum, value) => sum + value, 0) / logs.length;
  const variance = logs.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (logs.length - 1);
  const half = tOfProcesses * Math.sqrt(variance / logs.length);
  return { low: Math.min(ofRounds.low, Math.exp(mean - half)), high: Math.max(ofRounds.high, Math.exp(mean + half)) };
}

function verdictOf(ci95: Interval | null): Speed['verdict'] {
  if (ci95 === null) return 'undecided';
  if (ci95.high < 1) return 'faster';
  return ci95.low > 1 ? 'slower' : 'no measurable difference';
}

function product(values: readonly number[]): number {
  return values.reduce((all, value) => all * value, 1);
}

function sorted(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}
