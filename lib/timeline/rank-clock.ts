import type { RankHeader } from './events';

/** How far the rates of two crystals may be apart, outside of anchors: python/src/kernloop/tracing/clocks.py. */
const driftPpm = 200n;

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

/**
 * A device's clock on the host's time. Between two anchors the offset runs evenly from one to the other, as it does where both rates
 * are steady; before the first and after the last it is theirs, and the bound grows by what rates may be apart.
 *
 * A slice keeps the length that the device's clock gave it, and slices that nest stay nested: the offset changes only where nothing
 * of the rank runs. What it would have changed by meanwhile is part of the bound.
 */
export class RankClock {
  readonly isAligned: boolean;
  private worst = 0n;

  constructor(private readonly header: RankHeader) {
    this.isAligned = header.clock.isTime && header.anchors.length > 0;
  }

  /** What to add to the device's time; 0 where nothing relates it to another clock. */
  offsetAt(device: bigint): bigint {
    return this.isAligned ? this.estimate(device).offset : 0n;
  }

  /** That something is shown at this time with that offset. */
  used(device: bigint, shown: bigint): void {
    if (!this.isAligned) return;
    const { offset, error } = this.estimate(device);
    const bound = error + absolute(offset - shown);
    if (bound > this.worst) this.worst = bound;
  }

  /**
   * The bound over all that was shown; null where nothing bounds it. With what the device's clock cannot resolve, and the same again for
   * processors that read it a step apart (of an H200 they do).
   */
  get errorNs(): number | null {
    return this.isAligned ? Number(this.worst) + 2 * this.header.clock.resolution : null;
  }

  private estimate(device: bigint): { offset: bigint; error: bigint } {
    const { anchors } = this.header;
    const next = anchors.findIndex(({ deviceNs }) => deviceNs > device);
    const before = anchors.at(next === -1 ? -1 : Math.max(0, next - 1));
    const after = next > 0 ? anchors[next] : undefined;
    if (!before) return { offset: 0n, error: 0n };
    const distance = device - before.deviceNs;
    if (!after) {
      const drift = (absolute(distance) * driftPpm) / 1_000_000n;
      return { offset: before.offsetNs, error: BigInt(before.errorNs) + drift + 1n };
    }
    const span = after.deviceNs - before.deviceNs;
    return {
      offset: before.offsetNs + ((after.offsetNs - before.offsetNs) * distance) / span,
      error: BigInt(Math.max(before.errorNs, after.errorNs)) + 1n,
    };
  }
}
