/** What is known of how the lanes came to a block: a share, and from it a letter. */
export interface Uniformity {
  uniformShare: number | null;
  letter: 'U' | 'D' | null;
}

interface Known {
  lanes: number | null;
  uniformLanes: number | null;
  /** No divergent branch leads there: nothing was counted, as all lanes come together. */
  isStatic: boolean;
}

/** No letter without a share behind it, unless nobody came; a class that nothing was counted of has a 0 in the profile that means nothing. */
export function uniformityOf({ lanes, uniformLanes, isStatic }: Known): Uniformity {
  if (lanes === 0) return { uniformShare: null, letter: 'U' };
  const share = isStatic ? 1 : lanes === null || uniformLanes === null ? null : uniformLanes / lanes;
  return { uniformShare: share, letter: share === null ? null : share >= 0.9 ? 'U' : 'D' };
}
