// One run of `speed` on one of the two runtimes.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const DISPATCHES = 3; // a run; half a second each or less

// `copies`: so many processes at once, each with its own memory, that begin every dispatch together.
export function measure(folder, runtime, { name, size }, { threads, copies = 1 }) {
  const program = [join(folder, 'speed'), join(folder, 'kernels.hsaco'), name, String(size), String(DISPATCHES)];
  if (copies > 1) program.push('copies', String(copies));
  const paths = `${join(folder, runtime)}:${join(folder, 'lib')}`;
  const { stdout, stderr, status } = spawnSync(
    join(folder, 'lib', 'ld-linux-x86-64.so.2'),
    ['--library-path', paths, ...program],
    {
      env: { ...process.env, KERNLOOP_SOFTGPU_THREADS: threads, SWHSA_THREADS: threads, SWHSA_STAT: '1' },
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`${name} on ${runtime} failed: ${stderr}`);
  const result = JSON.parse(stdout);
  if (!result.right) throw new Error(`${name} on ${runtime} gave a wrong result`);
  // The prototype tells its count on stderr, for each dispatch.
  if (runtime === 'prototype') result.wave_instructions = Number(/wave-insts=(\d+)/.exec(stderr)?.[1]);
  return result;
}

export const least = (results, field) => Math.min(...results.flatMap((result) => result[field]));
export function median(results, field) {
  const sorted = results.flatMap((result) => result[field]).sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}
export const millionsASecond = (instructions, nanoseconds) => Number(((instructions / nanoseconds) * 1000).toFixed(1));
export const rounded = (value) => Number(value.toFixed(2));

// Calls `round` up to `most` times, at least once; none begins after so many seconds.
export function rounds(most, seconds, round) {
  const end = performance.now() + seconds * 1000;
  let done = 0;
  do round(done++);
  while (done < most && performance.now() < end);
  return done;
}
