import { formatBytes, formatCount } from '../support/report';
import type { FaultEvent, Guard } from './replay-events';

type Near = NonNullable<FaultEvent['near']>;

/** Text such as "4 bytes behind region r1 (800 B)". */
export function describeNear({ region, position, distance, size, dropped }: Near): string {
  const bytes = `${formatCount(distance)} ${distance === 1 ? 'byte' : 'bytes'}`;
  const where = position === 'inside' ? `${bytes} into` : `${bytes} ${position}`;
  return `${where} region ${region} (${formatBytes(size)})${dropped === true ? ', dropped by --shrink' : ''}`;
}

/** Describes which accesses the guard catches and which it cannot. */
export function guardLine(guard: Guard): string {
  const within = guard.is_exact
    ? 'every access outside of the regions faults, to the dword'
    : `accesses outside of the ${formatBytes(guard.granule)} granules of the regions fault; in the ${formatBytes(guard.padding_bytes)} of them that belong to no region writes are found afterwards, reads are not`;
  const inUse = guard.neighbours_in_use;
  return `guard: ${within}${inUse > 0 ? `; ${formatCount(inUse)} neighbouring granules are in use and not guarded` : ''}`;
}
