/** Wave-instructions run in the adverse order, which is slow: all of most dispatches, a share of long ones. */
const least = 2_000_000;
const shareOfLong = 16;

export function adverseInstructions(captured: number | null | undefined): number {
  return Math.max(least, Math.ceil((captured ?? 0) / shareOfLong));
}
