import type { Selfcheck } from '../archive/capture-files';
import type { Fill } from '../replay/program';
import type { OptionsOnDevice } from './device-options';

/**
 * What launches begin with where the captured code overwrites memory without reading it, by replay; empty where nothing is known of that.
 * The first launch begins as the app's did. Every replay has one that does not: what leaves such memory alone is wrong in each.
 */
export function fillsOf(
  { overwritten = [] }: Pick<Selfcheck, 'overwritten'>,
  { replays, adverse }: Pick<OptionsOnDevice, 'replays' | 'adverse'>,
): readonly (readonly Fill[])[] {
  if (overwritten.length === 0) return [];
  const last: readonly Fill[] = adverse ? [] : fillsOfAdverse;
  if (replays === 1) return [['captured', 'huge', 'opposite', ...last]];
  return Array.from({ length: replays }, (_, index): readonly Fill[] => {
    if (index === 0) return ['captured', 'huge'];
    if (index === 1) return ['opposite', ...last];
    return [index % 2 === 0 ? 'huge' : 'opposite'];
  });
}

/** As what nobody has written is 0 there. */
export const fillsOfAdverse: readonly Fill[] = ['zeros'];
