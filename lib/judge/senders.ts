import type { Clock } from '../deps/deps';
import { KernloopError } from '../support/error';
import { formatCount } from '../support/report';

/** Candidates that may wait at a time, of all senders; more are refused. */
export const mostQueued = 10_000;

/** Limits of one sender. */
export interface SenderLimits {
  /** Candidates that wait or are at work. */
  readonly candidates: number;
  /** Bytes of the files of these. */
  readonly bytes: number;
  /** CPU seconds a minute of the programs that its candidates need, on average; null: as many as there are. */
  readonly cpuSeconds: number | null;
}

export const unlimited: SenderLimits = { candidates: Infinity, bytes: Infinity, cpuSeconds: null };

/** A sender is over a limit; another one is not. */
export class SenderLimit extends KernloopError {
  constructor(
    readonly limit: 'candidates' | 'bytes' | 'cpu_seconds',
    readonly retrySeconds: number,
    what: string,
  ) {
    super('SENDER_LIMIT', what, `send it again in ${retrySeconds} s`);
  }
}

interface Load {
  candidates: number;
  bytes: number;
  /** CPU seconds that the minutes since have not made up for. */
  owed: number;
  /** Time of `owed`. */
  atMs: number;
}

/** Seconds after which some waiting candidate is likely to be judged. */
const usualRetrySeconds = 5;

/** Knows how much each sender uses, and whether it may have more. */
export class Senders {
  private readonly loads = new Map<string, Load>();

  constructor(
    readonly limits: SenderLimits,
    private readonly clock: Clock,
  ) {}

  /** A candidate of so many bytes was accepted. */
  add(sender: string, bytes: number): void {
    this.change(sender, 1, bytes);
  }

  /** It has its verdict. */
  remove(sender: string, bytes: number): void {
    this.change(sender, -1, -bytes);
  }

  /** Its candidates took CPU time, which is paid back at the rate of the limit. */
  charge(sender: string, cpuSeconds: number): void {
    if (this.limits.cpuSeconds !== null) this.of(sender).owed += cpuSeconds;
  }

  loadOf(sender: string): { candidates: number; bytes: number; cpuSeconds: number } {
    const { candidates, bytes, owed } = this.of(sender);
    return { candidates, bytes, cpuSeconds: owed };
  }

  /** Time until a candidate of the sender may begin; 0: now. */
  heldMs(sender: string): number {
    const { cpuSeconds } = this.limits;
    if (cpuSeconds === null) return 0;
    const over = this.of(sender).owed - cpuSeconds;
    return over < 0 ? 0 : Math.max(1, Math.ceil((over / cpuSeconds) * minuteMs));
  }

  /** Throws if the sender may not have one candidate more, of so many bytes. */
  requireRoom(sender: string, more: number): void {
    const { candidates, bytes, cpuSeconds } = this.limits;
    const load = this.of(sender);
    if (load.candidates >= candidates) {
      throw new SenderLimit(
        'candidates',
        usualRetrySeconds,
        `${formatCount(load.candidates)} candidates of this sender wait, and ${formatCount(candidates)} may (--sender-candidates)`,
      );
    }
    if (load.bytes + more > bytes) {
      throw new SenderLimit(
        'bytes',
        usualRetrySeconds,
        `the candidates of this sender that wait hold ${formatCount(load.bytes)} bytes, and with ${formatCount(more)} more it would be above its ${formatCount(bytes)} (--sender-mib)`,
      );
    }
    const heldMs = this.heldMs(sender);
    if (heldMs === 0) return;
    throw new SenderLimit(
      'cpu_seconds',
      Math.ceil(heldMs / 1000),
      `the candidates of this sender took more than its ${cpuSeconds} CPU seconds a minute (--sender-cpu-seconds)`,
    );
  }

  private change(sender: string, candidates: number, bytes: number): void {
    const load = this.of(sender);
    load.candidates += candidates;
    load.bytes += bytes;
  }

  private of(sender: string): Load {
    const now = this.clock.monotonicMs();
    const load = this.loads.get(sender) ?? { candidates: 0, bytes: 0, owed: 0, atMs: now };
    load.owed = Math.max(0, load.owed - ((now - load.atMs) / minuteMs) * (this.limits.cpuSeconds ?? 0));
    load.atMs = now;
    this.loads.set(sender, load);
    return load;
  }
}

const minuteMs = 60_000;
