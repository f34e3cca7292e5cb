import { stripVTControlCharacters } from 'node:util';
import { progressText, type Progress } from './progress-text';
import type { Environment } from './environment';

/** Redrawn no more often than eyes follow, and said in a log no more often than somebody wants to read it. */
const drawEachMs = 100;
const tellEachMs = 2000;

/** What this is drawn on. */
interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** A line may be drawn and taken back: at a terminal that knows how, that no log is made of, and that nobody else draws on. */
export function isLively(stream: Terminal, env: Environment): boolean {
  const isTold = (name: string): boolean => env[name] !== undefined && env[name] !== '' && env[name] !== 'false';
  return (
    stream.isTTY === true &&
    env['TERM'] !== 'dumb' &&
    env['KERNLOOP_PROGRESS'] !== 'plain' &&
    !isTold('CI') &&
    // Nx keeps what its tasks print.
    !isTold('NX_TASK_TARGET_PROJECT')
  );
}

/** How far work is: one line at the end of the terminal, below everything else that is said; plain lines now and then elsewhere. */
export class LiveLine {
  private now: Progress | null = null;
  private started: Progress | null = null;
  private startedMs = 0;
  private lastMs = 0;
  private isDrawn = false;
  /** What others wrote ended in the middle of a line, where nothing may be drawn. */
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
      // A log is told only of what takes a while.
      this.lastMs = this.lively ? -Infinity : ms;
    }
    this.now = now;
    if (ms - this.lastMs < (this.lively ? drawEachMs : tellEachMs)) return;
    this.lastMs = ms;
    if (this.lively) this.draw();
    else this.stream.write(`${this.text(now)}\n`);
  }

  /** Lets something else be written, to this terminal by whatever way. */
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
    // The last column stays free: some terminals begin another line there.
    // Where nobody has told its size it has none.
    const width = Math.max(0, (this.stream.columns || 80) - 1);
    const text = this.text(this.now);
    this.stream.write(`\r\x1b[2K${text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text}`);
    this.isDrawn = true;
  }

  /** Names of kernels and files are text of others. */
  private text(now: Progress): string {
    return stripVTControlCharacters(progressText(now, this.clock() - this.startedMs, this.started ?? now)).replaceAll(
      /\s+/g,
      ' ',
    );
  }
}

let shared: LiveLine | undefined;

/** One a process: there is one terminal. */
export function liveLine(): LiveLine {
  shared ??= new LiveLine(process.stderr, isLively(process.stderr, process.env));
  return shared;
}
