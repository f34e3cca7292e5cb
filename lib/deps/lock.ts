import { describeEnd } from '../support/ndjson';
import type { Deps } from './deps';

/**
 * Prints `held` once it has the lock; `cat` then holds it until its stdin is closed or this process ends. The path is
 * opened for reading only, because another user of the same GPU may own it: flock(1) by itself would create it, which
 * fs.protected_regular forbids then.
 */
const hold = (flags = ''): string => `exec 9< "$0" && flock ${flags} 9 && echo held && exec cat`;
const patienceMs = 1000;
/** Exit code of a holder whose lock another one has. */
const taken = 75;
/** Interval between messages that the wait goes on. */
const reminderMs = 30_000;

/** Names for people who wait for a lock. */
export interface Guarded {
  readonly name: string;
  /** Use by the holder, with a subject: "another stage uses". */
  readonly use: string;
}

/**
 * Takes the lock of a file or folder (flock(2)), and waits for it. A child of this process holds it: it ends whenever
 * this process ends, and programs that are started meanwhile need not know of it. Waiting counts against no limit.
 */
export async function takeLock(
  path: string,
  guarded: Guarded,
  deps: Deps,
): Promise<{ release: () => Promise<void> } | { refused: string }> {
  const { acquisition, holder, release } = start(path, hold(), deps);
  const waiting = new Waiting(guarded, deps);
  const ended = await Promise.race([acquisition, holder.result]).finally(() => waiting.end());
  return ended ? { refused: describeEnd('flock', ended) } : { release };
}

/** Takes the lock as `takeLock` does, unless somebody has it: `taken` then. */
export async function takeFreeLock(
  path: string,
  deps: Deps,
): Promise<{ release: () => Promise<void> } | 'taken' | { refused: string }> {
  const { acquisition, holder, release } = start(path, hold(`--nonblock --conflict-exit-code ${taken}`), deps);
  const ended = await Promise.race([acquisition, holder.result]);
  if (!ended) return { release };
  return ended.exitCode === taken ? 'taken' : { refused: describeEnd('flock', ended) };
}

function start(path: string, script: string, deps: Deps) {
  let acquired = (): void => undefined;
  const acquisition = new Promise<void>((resolve) => {
    acquired = resolve;
  });
  const holder = deps.run('sh', ['-c', script, path], { holdStdin: true, onStdoutLine: () => acquired() });
  const release = async (): Promise<void> => {
    holder.closeStdin();
    await holder.result;
  };
  return { acquisition, holder, release };
}

/** Reports why and how long a stage waits, and finally how long it took. */
class Waiting {
  private readonly startMs: number;
  private timer: NodeJS.Timeout;
  private isTold = false;

  constructor(
    private readonly guarded: Guarded,
    private readonly deps: Pick<Deps, 'clock' | 'report'>,
  ) {
    this.startMs = deps.clock.monotonicMs();
    this.timer = setTimeout(() => this.tell(), patienceMs);
  }

  end(): void {
    clearTimeout(this.timer);
    if (this.isTold) this.deps.report.info(`waited ${this.seconds()} for ${this.guarded.name}`);
  }

  private tell(): void {
    const since = this.isTold ? `, for ${this.seconds()} now` : '';
    this.deps.report.info(`waiting for ${this.guarded.name}, which ${this.guarded.use}${since}`);
    this.isTold = true;
    this.timer = setTimeout(() => this.tell(), reminderMs);
  }

  private seconds(): string {
    return `${Math.round((this.deps.clock.monotonicMs() - this.startMs) / 1000)} s`;
  }
}
