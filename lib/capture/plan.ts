import { formatBytes, table } from '../support/report';
import type { PlannedEvent } from '../recorder/recorder-events';
import type { CapturePlan } from './result';
import type { Request } from './selection';

export function planOf({ selection, scope }: Request, event: PlannedEvent): CapturePlan {
  const { plan, geometry } = event;
  const { name, maxBytes } = selection;
  return {
    name,
    kernel: event.kernel,
    ordinal: event.ordinal,
    scope,
    gridBlocks: geometry.grid_blocks,
    blockThreads: geometry.block_threads,
    regions: plan.regions.map((region) => ({
      id: region.id,
      base: region.base,
      bytes: region.bytes,
      class: region.class,
      api: region.api,
      reached: region.reached,
      from: region.from ?? null,
      bytesChanged: region.bytes_changed,
      bytesZero: region.bytes_zero,
      bytesRepeated: region.bytes_repeated,
      bytesStored: region.bytes_stored,
    })),
    scopeBytes: plan.scope_bytes,
    maxBytes,
    fits: maxBytes === 0 || plan.scope_bytes <= maxBytes,
    bytesRaw: event.bytes_raw,
    bytesStored: event.bytes_stored,
    bytesTracked: event.bytes_tracked,
    elapsedMs: plan.elapsed_ms,
  };
}

/** Number of regions listed, largest first; the rest is summed up. */
const mostRegions = 40;

/** Text of a plan: content of the capture and its cost. */
export function planLines(plan: CapturePlan): string[] {
  const { name, ordinal, kernel, scope, gridBlocks, blockThreads, regions } = plan;
  const largest = [...regions].sort((a, b) => b.bytes - a.bytes);
  const rows = largest
    .slice(0, mostRegions)
    .map((region) => [
      region.id,
      formatBytes(region.bytes),
      reachedBy(region),
      ...[region.bytesChanged, region.bytesZero, region.bytesRepeated, region.bytesStored].map((bytes) =>
        bytes === 0 ? '' : formatBytes(bytes),
      ),
      region.api,
    ]);
  const rest = largest.slice(mostRegions);
  const restBytes = rest.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    `${name}, dispatch ${ordinal}: ${kernel}, ${gridBlocks.join('×')} blocks × ${blockThreads.join('×')}, scope ${scope}`,
    ...table([['region', 'bytes', 'reached from', 'changed', 'zero', 'repeated', 'stored', 'allocated by'], ...rows]),
    ...(rest.length > 0 ? [`and ${rest.length} smaller ones, ${formatBytes(restBytes)}`] : []),
    `${formatBytes(plan.scopeBytes)} of the ${formatBytes(plan.bytesTracked)} that the app holds; with what changes ${formatBytes(plan.bytesRaw)}, stored in ${formatBytes(plan.bytesStored)}`,
    limitLine(plan),
    `measured: ${(plan.elapsedMs / 1000).toFixed(2)} s to read, hash and compress, with the app held; the disk comes on top`,
  ];
}

function limitLine({ fits, maxBytes, scopeBytes }: CapturePlan): string {
  if (maxBytes === 0) return 'no limit is set';
  if (fits) return `within the limit of ${formatBytes(maxBytes)}`;
  return `over the limit of ${formatBytes(maxBytes)}: a capture would be refused; --max-bytes ${scopeBytes} would do`;
}

function reachedBy({ reached, from }: CapturePlan['regions'][number]): string {
  switch (reached) {
    case 'arguments':
      return 'kernel arguments';
    case 'region':
      return from ?? 'another region';
    case 'variable':
      return 'module variable';
    case 'all':
      return 'scope all';
    case 'widened':
      return 'an earlier attempt';
  }
}
