import type { ReportEvent } from '../../lib/support/report-events';
import { progressText, type Progress } from '../../lib/support/progress-text';

export interface ProgressNotice {
  readonly progress: number;
  readonly message: string;
}

/** Minimum interval between notices: programs print more than a client needs. */
const sendEveryMs = 100;

/**
 * Progress of the stage as a number that only grows, as the protocol requires: each message is a step, and countable
 * work is a fraction of one.
 */
export class ProgressNotices {
  private steps = 0;
  private last = 0;
  private lastMs = -Infinity;
  private startedMs = 0;
  private started: Progress | null = null;

  constructor(
    private readonly send: (notice: ProgressNotice) => void,
    private readonly now: () => number,
  ) {}

  take(event: ReportEvent): void {
    if (event.event === 'output' || event.event === 'result') return;
    if (event.event !== 'progress') {
      this.steps += 1;
      this.tell(this.steps, event.text);
      return;
    }
    const { progress } = event;
    if (progress?.what !== this.started?.what) {
      this.started = progress;
      this.steps += 1;
      this.startedMs = this.now();
    }
    if (progress === null || this.now() - this.lastMs < sendEveryMs) return;
    const share = progress.total ? Math.min(progress.done / progress.total, 1) : 0;
    this.tell(
      this.steps + 0.999 * share,
      progressText(progress, this.now() - this.startedMs, this.started ?? progress),
    );
  }

  private tell(value: number, message: string): void {
    if (value <= this.last) return;
    this.last = value;
    this.lastMs = this.now();
    this.send({ progress: value, message: message.slice(0, 500) });
  }
}
