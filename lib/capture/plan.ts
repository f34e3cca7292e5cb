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
    grid_blocks: geometry.grid_blocks,
    block_threads: geometry.block_threads,
    regions: plan.regions.map((region) => ({
      id: region.id,
      base: region.base,
      bytes: region.bytes,
      class: region.class,
      api: region.api,
      reached: region.reached,
      from: region.from ?? null,
      bytes_changed: region.bytes_changed,
      bytes_zero: region.bytes_zero,
      bytes_repeated: region.bytes_repeated,
      bytes_stored: region.bytes_stored,
    })),
    scope_bytes: plan.scope_bytes,
    max_bytes: maxBytes,
    fits: maxBytes === 0 || plan.scope_bytes <= maxBytes,
    bytes_raw: event.bytes_raw,
    bytes_stored: event.bytes_stored,
    bytes_tracked: event.bytes_tracked,
    elapsed_ms: plan.elapsed_ms,
  };
}

/** Number of regions listed, largest first; the rest is summed up. */
const mostRegions = 40;

/** Text of a plan: content of the capture and its cost. */
export function planLines(plan: CapturePlan): string[] {
  const { name, ordinal, kernel, scope, grid_blocks: gridBlocks, block_threads: blockThreads, regions } = plan;
  const largest = [...regions].sort((a, b) => b.bytes - a.bytes);
  const rows = largest
    .slice(0, mostRegions)
    .map((region) => [
      region.id,
      formatBytes(region.bytes),
      reachedBy(region),
      ...[region.bytes_changed, region.bytes_zero, region.bytes_repeated, region.bytes_stored].map((bytes) =>
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
    `${formatBytes(plan.scope_bytes)} of the ${formatBytes(plan.bytes_tracked)} that the app holds; with what changes ${formatBytes(plan.bytes_raw)}, stored in ${formatBytes(plan.bytes_stored)}`,
    limitLine(plan),
    `measured: ${(plan.elapsed_ms / 1000).toFixed(2)} s to read, hash and compress, with the app held; the disk comes on top`,
  ];
}

function limitLine({ fits, max_bytes: maxBytes, scope_bytes: scopeBytes }: CapturePlan): string {
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
