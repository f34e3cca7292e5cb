import { readFileSync } from 'node:fs';

/** Ticks of the times in /proc: USER_HZ, which is 100 for every program on Linux. */
const ticksPerSecond = 100;

/** Ticks at the last call. */
let before = ticksOfEnded();

/**
 * CPU seconds of the programs of this process that have ended since the last call, with all that they waited for. Node
 * does not tell the time of each.
 */
export function cpuSecondsOfEnded(): number {
  const now = ticksOfEnded();
  const ticks = Math.max(0, now - before);
  before = now;
  return ticks / ticksPerSecond;
}

/** Fields cutime and cstime of proc(5), after the name, which may have blanks; 0 on other systems. */
function ticksOfEnded(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    return Number(fields[13] ?? 0) + Number(fields[14] ?? 0);
  } catch {
    return 0;
  }
}
