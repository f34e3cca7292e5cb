// Waits for locks of apt and dpkg that another process holds, such as the updates of a freshly started machine, and
// names their holder. apt-get itself waits only for dpkg's locks (DPkg::Lock::Timeout), not for the lock of its lists.
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { StepError } from './console.mjs';

export const aptLocks = [
  '/var/lib/apt/lists/lock',
  '/var/lib/dpkg/lock-frontend',
  '/var/lib/dpkg/lock',
  '/var/cache/apt/archives/lock',
];
export const lockSeconds = 600;

/** Locked inodes with the process that holds each lock (proc(5), /proc/locks). */
function lockedInodes() {
  const held = new Map();
  for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
    const [, pid, inode] = /^\d+: (?:POSIX|FLOCK|OFDLCK) .* WRITE (-?\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /.exec(line) ?? [];
    if (inode !== undefined) held.set(inode, Number(pid));
  }
  return held;
}

/**
 * A file system may report another device in /proc/locks than in stat, so a process is the holder only if it has the
 * file open.
 */
function hasOpen(pid, path) {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === path);
  } catch {
    // The process has ended or belongs to another user: only its lock is known.
    return true;
  }
}

function programOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return 'a program of another user';
  }
}

/** Holder of one of the locks: "apt-get (process 1234) holds /var/lib/dpkg/lock"; undefined if nobody holds one. */
export function holderOf(locks) {
  const held = lockedInodes();
  for (const path of locks) {
    const pid = held.get(String(statSync(path, { throwIfNoEntry: false })?.ino));
    if (pid !== undefined && pid !== process.pid && hasOpen(pid, path))
      return `${programOf(pid)} (process ${pid}) holds ${path}`;
  }
  return undefined;
}

/** Waits until nobody holds the locks and names the holder every 10 s; fails with the holder after `seconds`. */
export async function waitForLocks(name, locks, { seconds = lockSeconds, pollMs = 500 } = {}) {
  const started = Date.now();
  let told = -Infinity;
  for (;;) {
    const holder = holderOf(locks);
    if (holder === undefined) return;
    const waited = (Date.now() - started) / 1000;
    if (waited >= seconds)
      throw new StepError(
        `${name}: ${holder}, for ${Math.round(waited)} s now`,
        'wait for it, or end it; then run this again',
        5,
      );
    if (waited - told >= 10) {
      told = waited;
      process.stdout.write(`  … ${name}: waits, since ${holder}\n`);
    }
    await setTimeout(pollMs);
  }
}
