import type { ReplaySession } from '../replay/session';
import type { LaunchGeometry } from '../trace/write-trace';

/** As the kernel is launched: as the app did, or as the variant's source says. */
export function geometryOf({ request, capture: { geometry } }: ReplaySession): LaunchGeometry {
  const three = (given: string | undefined, captured: readonly number[]): [number, number, number] => {
    const [x = 1, y = 1, z = 1] = given === undefined ? captured : given.split(',').map(Number);
    return [x, y, z];
  };
  return {
    grid: three(request.grid, geometry.grid_blocks),
    block: three(request.block, geometry.block_threads),
    sharedBytes: request.dynamicShared ?? geometry.group_segment_bytes,
  };
}
