import type { Device } from '../device/device';
import { measure } from './measure';
import type { ReplayOutcome } from './program';
import type { Interval, Speed } from './result';
import { quantile, medianInterval } from './statistics';

/** One process each, of the captured code and of the variant, one directly after the other. */
export interface Turn {
  baseline: ReplayOutcome;
  variant: ReplayOutcome;
}

/** The least number of turns that decides anything: with fewer, even turns that all agree leave more than 5% to chance. */
export const decidingTurns = 6;

/**
 * How many processes each side gets. Counts repeat exactly: one turn is enough for them. Times differ from process to process by more
 * than within one (placement of memory, clocks), so that a turn is one sample of the ratio, however many iterations it has.
 */
export function turnsFor(device: Device, iterations: number): number {
  return device.work === 'duration_ns' ? Math.min(decidingTurns, iterations) : 1;
}

/** Iterations of one turn: all turns together give what was asked for. */
export function iterationsOf(turn: number, turns: number, iterations: number): number {
  return Math.ceil((iterations - turn) / turns);
}

/** A clock that drifts meets both sides alike: who goes first changes with every turn. */
export function baselineFirst(turn: number): boolean {
  return turn % 2 === 0;
}

/** Null where nothing was timed. */
export function compareSpeed(device: Device, turns: readonly Turn[]): Speed | null {
  const ratios = turns.flatMap(({ baseline, variant }) => {
    const [before, after] = [measure(device, baseline).durationNs, measure(device, variant).durationNs];
    return before && after && before.median > 0 ? [after.median / before.median] : [];
  });
  if (ratios.length === 0) return null;
  ratios.sort((a, b) => a - b);
  const ci95 = medianInterval(ratios);
  return { verdict: verdictOf(ci95), ratio: quantile(ratios, 0.5), ci95, turns: ratios.length };
}

function verdictOf(ci95: Interval | null): Speed['verdict'] {
  if (ci95 === null) return 'undecided';
  if (ci95.high < 1) return 'faster';
  return ci95.low > 1 ? 'slower' : 'no measurable difference';
}
