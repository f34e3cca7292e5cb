const limitMultiple = 10;
/** Blocks of a right kernel that wait for each other execute this many before the first of them ends; a hang takes a fraction of a second to. */
const limitFloor = 20_000_000;

/** What a lens adds to a kernel was seen to be 42 times the kernel itself (a counter a select, in a short loop). */
const lensMultiple = 10;

/** Of a variant with a lens, where the same variant without it would have `limit`. */
export function lensLimit(limit: number): number {
  return limit * lensMultiple;
}

export function instructionLimit(waveInstructions: number, multiple = limitMultiple): number {
  return Math.max(limitFloor, Math.ceil(waveInstructions * multiple));
}
