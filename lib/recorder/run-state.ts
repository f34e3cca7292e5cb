import type { RecorderConfig } from './recorder-config';
import type { RecorderEvent } from './recorder-events';

/** State from the recorder's events: connected processes, and selections still to be captured. */
export class RunState {
  readonly connected = new Set<number>();
  everConnected = false;
  private readonly open: Set<string>;
  /** Selections that may always get one more capture. */
  private readonly several: Set<string>;
  private readonly profiling: boolean;

  constructor({ mode, selections }: RecorderConfig) {
    this.open = new Set(selections.map(({ id }) => id));
    this.several = new Set(
      selections.filter(({ output, to_end: toEnd }) => output === undefined || toEnd).map(({ id }) => id),
    );
    this.profiling = mode === 'profile';
  }

  take(event: RecorderEvent): void {
    if (event.event === 'process') {
      this.connected.add(event.pid);
      this.everConnected = true;
    }
    if (event.event === 'process_end') this.connected.delete(event.pid);
    if ((event.event === 'captured' || event.event === 'refused') && !this.several.has(event.id))
      this.open.delete(event.id);
    if (event.event === 'scope_violation') this.open.add(event.id);
  }

  /** Whether nothing is left to capture. A profile covers everything to the end. */
  get settled(): boolean {
    return !this.profiling && this.open.size === 0;
  }
}
