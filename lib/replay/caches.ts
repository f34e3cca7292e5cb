import { formatBytes } from '../support/report';
import type { Caches } from './replay-events';

/** Notes on the cache state if it does not mean on this device what its name says. */
export function cacheLines({
  state,
  is_modelled: isModelled,
  reported_bytes: reported,
  overwritten_bytes: overwritten,
}: Caches): string[] {
  if (!isModelled) return [`the software GPU has no caches: with ${state} ones it counts the same`];
  if (state === 'warm') return [];
  const told =
    reported > 0 ? `the largest cache that it tells of has ${formatBytes(reported)}` : 'it tells of no cache';
  return [`before each launch the device overwrites ${formatBytes(overwritten)}; ${told}`];
}
