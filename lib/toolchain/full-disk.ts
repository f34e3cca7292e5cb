import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { KernloopError } from '../support/error';
import { formatBytes } from '../support/report';
import type { RunResult } from '../support/exec';

/** Less is full: a compiler that died has removed what it had written, so that some room is there again. */
const fullBelowBytes = 4 << 20;

const crashed = /^(?:PLEASE submit a bug report|Stack dump:)|\bfailed due to signal\b|\bBus error\b/m;
const stackStart = /^(?:PLEASE submit a bug report|Stack dump:)/m;

/** Throws if a compiler died while a disk that it writes to is full: the linker of LLVM gets SIGBUS, and tells nothing. */
export function requireRoom(
  what: string,
  { signal, stderrTail }: Pick<RunResult, 'signal' | 'stderrTail'>,
  folders: readonly string[],
): void {
  if (signal === null && !crashed.test(stderrTail)) return;
  for (const folder of [...folders, tmpdir()]) {
    const free = freeBytes(folder);
    if (free >= fullBelowBytes) continue;
    throw new KernloopError(
      'FILE_UNWRITABLE',
      `${what}: the disk is full: the compiler died, and ${folder} has ${formatBytes(free)} left`,
      'make room (`df -h`), and run the command again',
    );
  }
}

/** Unlimited if the file system does not tell. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize, blocks } = statfsSync(folder);
    return blocks === 0 ? Infinity : bavail * bsize;
  } catch {
    return Infinity;
  }
}

/** Passes on what a compiler prints until its stack, which is printed only if it says something about the source. */
export class HeldStack {
  private held: string | undefined;

  constructor(private readonly print: (text: string) => void) {}

  readonly push = (chunk: string): void => {
    if (this.held !== undefined) {
      this.held += chunk;
      return;
    }
    const start = chunk.search(stackStart);
    const before = start < 0 ? chunk : chunk.slice(0, start);
    if (before !== '') this.print(before);
    if (start >= 0) this.held = chunk.slice(start);
  };

  release(): void {
    if (this.held !== undefined) this.print(this.held);
    this.held = undefined;
  }
}
