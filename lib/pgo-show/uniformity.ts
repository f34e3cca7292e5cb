/** Share of lanes that reach a block together, and a letter derived from it. */
export interface Uniformity {
  uniform_share: number | null;
  letter: 'U' | 'D' | null;
}

interface Known {
  lanes: number | null;
  uniformLanes: number | null;
  /** No divergent branch leads to the block: nothing was counted, because all lanes arrive together. */
  isStatic: boolean;
}

/**
 * A letter needs a share, unless no lane reached the block: for a class without counts, the 0 in the profile means
 * nothing.
 */
export function uniformityOf({ lanes, uniformLanes, isStatic }: Known): Uniformity {
  if (lanes === 0) return { uniform_share: null, letter: 'U' };
  const share = isStatic ? 1 : lanes === null || uniformLanes === null ? null : uniformLanes / lanes;
  return { uniform_share: share, letter: share === null ? null : share >= 0.9 ? 'U' : 'D' };
}
