import { stripVTControlCharacters } from 'node:util';
import { progressText, type Progress } from './progress-text';
import type { Environment } from './environment';

/** Intervals between redraws on a terminal, and between lines in a log. */
const drawEachMs = 100;
const tellEachMs = 2000;

/** Stream that the line is drawn on. */
interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Whether a line can be drawn and erased: on a capable terminal without a log or another program that draws. */
export function isLively(stream: Terminal, env: Environment): boolean {
  const isTold = (name: string): boolean => env[name] !== undefined && env[name] !== '' && env[name] !== 'false';
  return (
    stream.isTTY === true &&
    env['TERM'] !== 'dumb' &&
    env['KERNLOOP_PROGRESS'] !== 'plain' &&
    !isTold('CI') &&
    // Nx stores the output of its tasks.
    !isTold('NX_TASK_TARGET_PROJECT')
  );
}

/** Progress display: one line at the bottom of a terminal, or occasional plain lines in a log. */
export class LiveLine {
  private now: Progress | null = null;
  private started: Progress | null = null;
  private startedMs = 0;
  private lastMs = 0;
  private isDrawn = false;
  /** Whether other output ended within a line, where nothing may be drawn. */
  private isWithinLine = false;

  constructor(
    private readonly stream: Terminal,
    private readonly lively: boolean,
    private readonly clock: () => number = () => performance.now(),
  ) {}

  show(now: Progress | null): void {
    if (now === null) {
      this.hide();
      this.now = null;
      return;
    }
    const ms = this.clock();
    if (this.now?.what !== now.what) {
      this.started = now;
      this.startedMs = ms;
      // In a log, only work that takes a while is reported.
      this.lastMs = this.lively ? -Infinity : ms;
    }
    this.now = now;
    if (ms - this.lastMs < (this.lively ? drawEachMs : tellEachMs)) return;
    this.lastMs = ms;
    if (this.lively) this.draw();
    else this.stream.write(`${this.text(now)}\n`);
  }

  /** Hides the line while something else is written to this terminal. */
  around(write: () => void, text: string): void {
    this.hide();
    write();
    if (text !== '') this.isWithinLine = !text.endsWith('\n');
    this.draw();
  }

  hide(): void {
    if (this.isDrawn) this.stream.write('\r\x1b[2K');
    this.isDrawn = false;
  }

  private draw(): void {
    if (!this.lively || this.now === null || this.isWithinLine) return;
    // The last column stays free, because some terminals wrap there. A terminal that reports no size has no columns.
    const width = Math.max(0, (this.stream.columns || 80) - 1);
    const text = this.text(this.now);
    this.stream.write(`\r\x1b[2K${text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text}`);
    this.isDrawn = true;
  }

  /** Strips control characters, because names of kernels and files are untrusted text. */
  private text(now: Progress): string {
    return stripVTControlCharacters(progressText(now, this.clock() - this.startedMs, this.started ?? now)).replaceAll(
      /\s+/g,
      ' ',
    );
  }
}

let shared: LiveLine | undefined;

/** One line per process, because it has one terminal. */
export function liveLine(): LiveLine {
  shared ??= new LiveLine(process.stderr, isLively(process.stderr, process.env));
  return shared;
}
