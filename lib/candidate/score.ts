import type { Deps } from '../deps/deps';
import { replayUnkept } from '../replay/replay';
import { replayOptionsSchema } from '../replay/options';
import type { DispatchResult, Speed } from '../replay/result';
import type { Code } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import type { WorkUnit } from '../device/device';
import type { Score } from './score-json';

export interface Scored {
  score: Score;
  /** Time of the captured code in the same rounds; null if counts are scored. */
  capturedNs: number | null;
}

/** Scores the code over every judged dispatch: counts on the software GPU, time against the captured code otherwise. */
export async function scoreOf(
  code: Code,
  replaying: object,
  iterations: number | undefined,
  work: WorkUnit,
  deps: Deps,
): Promise<Scored> {
  const compare = work === 'duration_ns' && code.kind === 'variant';
  const options = replayOptionsSchema.parse({
    ...replaying,
    compare,
    ...(work === 'duration_ns' ? { iterations } : {}),
  });
  const result = await replayUnkept(options, deps, code);
  const dispatches = result.dispatches.length > 0 ? result.dispatches : [result];
  const stopped = dispatches.find(({ exit_code: exitCode }) => exitCode !== 0);
  if (stopped)
    throw new KernloopError(
      'LAUNCH_IMPOSSIBLE',
      stopped.fault ?? `it ran past its limit in dispatch ${stopped.dispatch}`,
      '',
    );
  return work === 'wave_instructions' ? counted(dispatches) : timed(dispatches);
}

function counted(dispatches: readonly DispatchResult[]): Scored {
  const counts = dispatches.map(({ dispatch, counters }) => {
    const count = counters['wave_instructions']?.median;
    // A missing count must not be scored as 0, which would win.
    if (count === undefined || count === 0) throw new Error(`no instructions were counted of dispatch ${dispatch}`);
    return count;
  });
  return {
    score: { wave_instructions: sum(counts), time_ns: null, time_ratio: null, time_ci95: null },
    capturedNs: null,
  };
}

/** Weighs dispatches by the time that the captured code takes for each. */
function timed(dispatches: readonly DispatchResult[]): Scored {
  const times = dispatches.map(({ duration_ns: durationNs }) => durationNs?.median ?? 0);
  const captured = dispatches.map(({ baseline }) => baseline?.duration_ns?.median ?? 0);
  const weighed = (of: (speed: Speed) => number | undefined): number | null => {
    const parts = dispatches.map(
      ({ speed }, index) => (speed ? (of(speed) ?? Number.NaN) : Number.NaN) * (captured[index] ?? 0),
    );
    const mean = sum(parts) / sum(captured);
    return Number.isFinite(mean) ? mean : null;
  };
  const [low, high] = [weighed(({ ci95 }) => ci95?.low), weighed(({ ci95 }) => ci95?.high)];
  const timeCi95 = low === null || high === null ? null : { low, high };
  return {
    score: {
      wave_instructions: null,
      time_ns: sum(times),
      time_ratio: weighed(({ ratio }) => ratio),
      time_ci95: timeCi95,
    },
    capturedNs: sum(captured),
  };
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** Sort key, lower is better: a count, or the time relative to the captured code's. */
export const orderOf = ({ wave_instructions: waveInstructions, time_ratio: timeRatio }: Score): number =>
  waveInstructions ?? timeRatio ?? Number.POSITIVE_INFINITY;

/** On hardware a candidate is better only if the confidence intervals do not overlap; smaller differences are noise. */
export function isBetter(one: Score, other: Score): boolean {
  if (one.wave_instructions !== null && other.wave_instructions !== null)
    return one.wave_instructions < other.wave_instructions;
  if (one.time_ci95 === null || other.time_ci95 === null) return false;
  return one.time_ci95.high < other.time_ci95.low;
}
