/** Wave-instructions of a dispatch that are run in the adverse order: all of most; of long ones a share, since it is slow. */
const least = 2_000_000;
const shareOfLong = 16;

export function adverseInstructions(captured: number | null | undefined): number {
  return Math.max(least, Math.ceil((captured ?? 0) / shareOfLong));
}
