// Both runtimes on one thread: rates of CPU time, and where ours spends it.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { least, measure, median, millionsASecond, rounded, rounds } from './runs.mjs';

function row({ name, size }, { softgpu, prototype }) {
  const [{ wave_instructions }] = softgpu;
  const [{ wave_instructions: counted }] = prototype;
  if (counted !== wave_instructions)
    throw new Error(`${name}: the prototype executed ${counted} wave-instructions, not ${wave_instructions}`);
  const ours = least(softgpu, 'cpu_ns'),
    theirs = least(prototype, 'cpu_ns');
  return {
    case: name,
    size,
    wave_instructions,
    softgpu: millionsASecond(wave_instructions, ours),
    prototype: millionsASecond(wave_instructions, theirs),
    ratio: rounded(theirs / ours),
    ratio_of_medians: rounded(median(prototype, 'cpu_ns') / median(softgpu, 'cpu_ns')),
  };
}

export function sideBySide(folder, cases, most, seconds) {
  const results = cases.map(() => ({ softgpu: [], prototype: [] }));
  const done = rounds(most, seconds, () => {
    cases.forEach((one, index) => {
      for (const runtime of ['softgpu', 'prototype'])
        results[index][runtime].push(measure(folder, runtime, one, { threads: 1 }));
    });
  });
  return { rounds: done, rows: cases.map((one, index) => row(one, results[index])) };
}

// In percent of the samples in the runtime: by perf, where there is one.
const PARTS = [
  ['vector_alu', /vector::/],
  ['start_of_waves', /begin_wave|Dispatch::|Worker::|WaveScratch/],
  ['interpreter', /Interpreter::|CodeView|CodePage/],
  ['memory', /MemoryPort|avx512::|portable::|global_|flat_|scratch_|Lds|lane|read|write|modify|Load|Store|Atomic/],
  ['scalar', /./],
];
export function breakdown(folder, { name, size }) {
  const file = join(mkdtempSync(join(tmpdir(), 'kernloop-perf-')), 'samples');
  const program = [join(folder, 'speed'), join(folder, 'kernels.hsaco'), name, String(size), '10'];
  const paths = `${join(folder, 'softgpu')}:${join(folder, 'lib')}`;
  const loader = [join(folder, 'lib', 'ld-linux-x86-64.so.2'), '--library-path', paths];
  const environment = { ...process.env, KERNLOOP_SOFTGPU_THREADS: '1' };
  const record = ['record', '-q', '-e', 'cpu-clock', '-F', '2000', '-o', file, '--', ...loader, ...program];
  const recorded = spawnSync('perf', record, { env: environment, stdio: 'ignore' });
  const shares = recorded.status === 0 ? sharesIn(file) : undefined;
  rmSync(dirname(file), { recursive: true });
  return shares;
}

function sharesIn(file) {
  const text = execFileSync('perf', ['report', '-i', file, '--stdio', '--no-children', '-F', 'overhead,dso,sym'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const shares = Object.fromEntries(PARTS.map(([part]) => [part, 0]));
  for (const line of text.split('\n')) {
    const [, share, symbol] = /^\s*([\d.]+)%\s+libhsa-runtime64\S*\s+\[\.\] (.*)/.exec(line) ?? [];
    if (share && symbol.startsWith('0x')) return undefined; // a stripped library
    if (share) shares[PARTS.find(([, pattern]) => pattern.test(symbol))[0]] += Number(share);
  }
  const total = Object.values(shares).reduce((sum, share) => sum + share, 0);
  if (total === 0) return undefined;
  return Object.fromEntries(Object.entries(shares).map(([part, share]) => [part, Math.round((100 * share) / total)]));
}
