import { dirname } from 'node:path';
import type { CapturedEvent, RecorderEvent } from '../recorder/recorder-events';
import { isInside } from '../support/files';
import { formatBytes, formatCount } from '../support/format';
import type { Selection } from './selection';
import { hasChecked } from './staging';

const mostNames = 3;

type Size = Pick<CapturedEvent, 'regions' | 'bytes_raw'>;

/** Completed captures, to report if the user stops a capture. */
export class Kept {
  private readonly captures = new Map<string, Size>();
  private readonly checked = new Set<string>();
  /** Names of the kernels with a checked capture, by the folder in which another one is made; null without one. */
  private readonly staged = new Map<string, string | null>();

  /** Tells which selections leave a checked capture in its place until theirs has passed. */
  stays(selections: readonly Pick<Selection, 'name' | 'output' | 'staging'>[]): void {
    for (const { name, output, staging } of selections)
      if (staging !== undefined) this.staged.set(dirname(staging), hasChecked(output) ? name : null);
  }

  take(event: RecorderEvent): void {
    if (event.event !== 'captured') return;
    this.captures.set(event.output, event);
    this.checked.delete(event.output);
  }

  hasPassed(output: string): void {
    this.checked.add(output);
  }

  private stagingOf(output: string): string | undefined {
    return [...this.staged.keys()].find((folder) => isInside(folder, output));
  }

  /** `2 launches are captured and kept (18 regions, 208.2 KiB), 1 of them checked by a replay`. */
  text(): string {
    const kept = [...this.captures]
      .filter(([output]) => this.checked.has(output) || this.stagingOf(output) === undefined)
      .map(([, capture]) => capture);
    const replaced = new Set([...this.checked].map((output) => this.stagingOf(output)));
    const names = [...this.staged].flatMap(([folder, name]) => (name === null || replaced.has(folder) ? [] : [name]));
    const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : '';
    const before =
      names.length === 0
        ? ''
        : `; the checked ${names.length === 1 ? 'capture' : 'captures'} from before ${names.length === 1 ? 'stays' : 'stay'} (${names.slice(0, mostNames).join(', ')}${more})`;
    return `${this.textOf(kept)}${before}`;
  }

  private textOf(kept: readonly Size[]): string {
    const size = kept.length;
    if (size === 0) return this.captures.size === 0 ? 'no launch was captured yet' : 'no launch was checked yet';
    const sum = (key: keyof Size): number => kept.reduce((all, each) => all + each[key], 0);
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
