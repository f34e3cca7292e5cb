import type { RankHeader } from './events';

/** Maximum difference between the rates of two crystals, outside of anchors: python/src/kernloop/tracing/clocks.py. */
const driftPpm = 200n;

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);

/**
 * Converts a device's clock to the host's time. Between two anchors the offset is interpolated linearly, which is right
 * if both rates are steady; before the first and after the last anchor it is constant, and the bound grows by the
 * possible difference of the rates.
 *
 * A slice keeps the length that the device's clock measured, and nested slices stay nested: the offset changes only
 * while nothing of the rank runs. The change that was due meanwhile is part of the bound.
 */
export class RankClock {
  readonly isAligned: boolean;
  private worst = 0n;

  constructor(private readonly header: RankHeader) {
    this.isAligned = header.clock.isTime && header.anchors.length > 0;
  }

  /** Offset to add to the device's time; 0 if nothing relates it to another clock. */
  offsetAt(device: bigint): bigint {
    return this.isAligned ? this.estimate(device).offset : 0n;
  }

  /** Records that an event is shown at this time with this offset. */
  used(device: bigint, shown: bigint): void {
    if (!this.isAligned) return;
    const { offset, error } = this.estimate(device);
    const bound = error + absolute(offset - shown);
    if (bound > this.worst) this.worst = bound;
  }

  /**
   * Bound over all shown events; null if there is none. It includes the resolution of the device's clock twice: once
   * more for processors that read it a step apart (those of an H200 do).
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
