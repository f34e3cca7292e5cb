import { writeFileSync } from 'node:fs';
import type { Deps } from '../deps/deps';
import { KernloopError, systemCode } from '../support/error';
import { describeEnd } from '../support/ndjson';
import type { Device } from './device';

/**
 * Prints `held` once it has the lock; `cat` then holds it until its stdin is closed or this process ends. The file is
 * opened for reading only, because another user of the same GPU may own it: flock(1) by itself would create it, which
 * fs.protected_regular forbids then.
 */
const hold = 'exec 9< "$0" && flock 9 && echo held && exec cat';
const patienceMs = 1000;
/** Interval between messages that the wait goes on. */
const reminderMs = 30_000;

/**
 * Runs `work` while no other stage uses the device. A child of this stage holds the lock (flock(2)): it ends whenever
 * the stage ends, and programs that the stage starts need not know of it. Waiting counts against no limit.
 */
export async function withDevice<T>(device: Device, deps: Deps, work: () => Promise<T>): Promise<T> {
  if (device.lock === null) return work();
  const release = await lock(device.lock, device.description.name, deps);
  try {
    return await work();
  } finally {
    await release();
  }
}

function createIfMissing(path: string): void {
  try {
    writeFileSync(path, '', { flag: 'wx', mode: 0o644 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

async function lock(path: string, name: string, deps: Deps): Promise<() => Promise<void>> {
  let acquired = (): void => undefined;
  const acquisition = new Promise<void>((resolve) => {
    acquired = resolve;
  });
  createIfMissing(path);
  const holder = deps.run('sh', ['-c', hold, path], { holdStdin: true, onStdoutLine: () => acquired() });
  const waiting = new Waiting(name, deps);
  const ended = await Promise.race([acquisition, holder.result]).finally(() => waiting.end());
  if (ended) {
    throw new KernloopError(
      'DEVICE_UNAVAILABLE',
      `the lock ${path} cannot be taken: ${describeEnd('flock', ended)}`,
      'make it readable for you; if flock is not installed: apt-get install util-linux',
    );
  }
  return async () => {
    holder.closeStdin();
    await holder.result;
  };
}

/** Reports why and how long a stage waits, and finally how long it took. */
class Waiting {
  private readonly startMs: number;
  private timer: NodeJS.Timeout;
  private isTold = false;

  constructor(
    private readonly name: string,
    private readonly deps: Pick<Deps, 'clock' | 'report'>,
  ) {
    this.startMs = deps.clock.monotonicMs();
    this.timer = setTimeout(() => this.tell(), patienceMs);
  }

  end(): void {
    clearTimeout(this.timer);
    if (this.isTold) this.deps.report.info(`waited ${this.seconds()} for ${this.name}`);
  }

  private tell(): void {
    const since = this.isTold ? `, for ${this.seconds()} now` : '';
    this.deps.report.info(`waiting for ${this.name}, which another stage uses${since}`);
    this.isTold = true;
    this.timer = setTimeout(() => this.tell(), reminderMs);
  }

  private seconds(): string {
    return `${Math.round((this.deps.clock.monotonicMs() - this.startMs) / 1000)} s`;
  }
}
