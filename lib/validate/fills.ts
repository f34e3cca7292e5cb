import type { Selfcheck } from '../archive/capture-files';
import type { Fill } from '../replay/program';

/**
 * Initial content, for each replay, of memory that the captured code overwrites without reading; empty if no such
 * memory is known. The first launch starts as the app's did. Every replay has a launch that does not, in which code
 * that leaves such memory unwritten fails.
 */
export function fillsOf(
  { overwritten = [] }: Pick<Selfcheck, 'overwritten'>,
  replays: number,
  adverse: boolean,
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

/** Unwritten memory is 0 in the adverse order, so this memory is too. */
export const fillsOfAdverse: readonly Fill[] = ['zeros'];
