import type { Deps } from '../deps/deps';
import { replayUnkept } from '../replay/replay';
import { replayOptionsSchema } from '../replay/options';
import type { DispatchResult, ReplayResult } from '../replay/result';
import type { UseInReproducerOptions } from './options';
import type { Figures } from './result';
import { quiet } from '../deps/quiet';
import { scratchWaveDwords } from './scratch';

/**
 * Measures a code object in a replay of every captured dispatch: counts on the software GPU, on other devices its time
 * beside the captured code's.
 */
export async function measureVariant(
  variant: string,
  options: UseInReproducerOptions,
  work: 'wave_instructions' | 'duration_ns',
  deps: Deps,
): Promise<Figures> {
  const { iterations, ...replaying } = options;
  const counted = work === 'wave_instructions';
  const result = await replayUnkept(
    replayOptionsSchema.parse({
      ...replaying,
      variant,
      capture: replaying.capture ?? 'all',
      ...(counted ? { hotSpots: true, hotSpotsBy: 'scratch' } : { compare: variant !== 'none', iterations }),
    }),
    quiet(deps),
  );
  return counted ? countsOf(result) : timesOf(result);
}

const dispatchesOf = (result: ReplayResult): readonly DispatchResult[] =>
  result.dispatches.length > 0 ? result.dispatches : [result];

function countsOf(result: ReplayResult): Figures {
  const dispatches = dispatchesOf(result);
  const sum = (value: (one: DispatchResult) => number): number => dispatches.reduce((all, one) => all + value(one), 0);
  return {
    ...capturedTimes,
    wave_instructions: sum(({ counters }) => counters['wave_instructions']?.median ?? 0),
    scratch_wave_dwords: sum(({ hot_spots: hotSpots }) => scratchWaveDwords(hotSpots?.instructions ?? [])),
  };
}

/** The worst of several dispatches: none may be slower. */
function timesOf(result: ReplayResult): Figures {
  const speeds = dispatchesOf(result).flatMap(({ speed }) => speed ?? []);
  const [worst] = speeds.sort((a, b) => b.ratio - a.ratio);
  return { ...capturedTimes, time_ratio: worst?.ratio ?? null, time_ci95: worst?.ci95 ?? null };
}

/** Times are relative to the captured code. */
export const capturedTimes: Figures = {
  wave_instructions: null,
  scratch_wave_dwords: null,
  time_ratio: null,
  time_ci95: null,
};
