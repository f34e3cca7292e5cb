const limitMultiple = 10;
/**
 * Minimum limit: blocks of a correct kernel that wait for each other may execute this many before the first one ends; a
 * hang reaches it in a fraction of a second.
 */
const limitFloor = 20_000_000;

/** Allowance for a lens. The most seen was 42 times the kernel itself (a counter for each select, in a short loop). */
const lensMultiple = 10;

/** Limit of a variant with a lens; `limit` is the one without it. */
export function lensLimit(limit: number): number {
  return limit * lensMultiple;
}

export function instructionLimit(waveInstructions: number, multiple = limitMultiple): number {
  return Math.max(limitFloor, Math.ceil(waveInstructions * multiple));
}
