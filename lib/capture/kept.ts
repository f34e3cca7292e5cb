import type { CapturedEvent, RecorderEvent } from '../recorder/recorder-events';
import { formatBytes, formatCount } from '../support/format';

type Size = Pick<CapturedEvent, 'regions' | 'bytes_raw'>;

/** Completed captures, to report if the user stops a capture. */
export class Kept {
  private readonly captures = new Map<string, Size>();
  private readonly checked = new Set<string>();

  take(event: RecorderEvent): void {
    if (event.event !== 'captured') return;
    this.captures.set(event.output, event);
    this.checked.delete(event.output);
  }

  hasPassed(output: string): void {
    this.checked.add(output);
  }

  /** `2 launches are captured and kept (18 regions, 208.2 KiB), 1 of them checked by a replay`. */
  text(): string {
    const { size } = this.captures;
    if (size === 0) return 'no launch was captured yet';
    const sum = (key: keyof Size): number => [...this.captures.values()].reduce((all, each) => all + each[key], 0);
    const launches = size === 1 ? '1 launch is' : `${formatCount(size)} launches are`;
    const regions = sum('regions') === 1 ? '1 region' : `${formatCount(sum('regions'))} regions`;
    const checked = this.checked.size === 0 ? 'none' : formatCount(this.checked.size);
    return `${launches} captured and kept (${regions}, ${formatBytes(sum('bytes_raw'))}), ${checked} of them checked by a replay`;
  }

  again(): string {
    if (this.checked.size === 0) return 'run it again';
    return 'run it again: `extract` keeps what is checked and captures the rest, `capture` captures everything anew';
  }
}
