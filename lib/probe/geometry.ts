import type { ReplaySession } from '../replay/session';
import type { LaunchGeometry } from '../trace/write-trace';

/** Geometry of the launch: the values that the variant sets, otherwise those of the app. */
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
