// The software GPU beside the prototype that it replaced: wave-instructions per second and core, and scaling over
// cores.
//   node bench/softgpu-speed.mjs --prototype DIR [--llvm DIR] [--build DIR] [--rounds N] [--seconds S] [--threads 1,2,…]
//   node bench/softgpu-speed.mjs --prototype DIR --bundle DIR    then, on a machine without compilers or Node:  sh DIR/run.sh
// The prototype's sources are no part of this repository: --prototype or KERNLOOP_BENCH_PROTOTYPE names them. It needs
// the LLVM of --llvm (default /usr/lib/llvm-15) with headers and static libraries (Debian: llvm-15-dev). Both runtimes
// drive the same program and the same code objects; runs alternate. Rates use CPU time with one thread, from the best
// dispatch of all rounds; scaling uses wall time. No round starts after --seconds (default 120). Prints one JSON
// object.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

import { addNode, buildInto } from './softgpu/bundle.mjs';
import { scaling } from './softgpu/scaling.mjs';
import { breakdown, sideBySide } from './softgpu/side-by-side.mjs';

function fail(message, code) {
  process.stderr.write(`softgpu-speed: ${message}\n`);
  process.exit(code);
}

function readOptions() {
  const names = ['prototype', 'llvm', 'build', 'rounds', 'seconds', 'threads', 'bundle', 'prebuilt'];
  try {
    return parseArgs({ options: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) }).values;
  } catch (error) {
    return fail(error.message, 2);
  }
}

const options = readOptions();
const rounds = Number(options.rounds ?? 7);
if (!Number.isInteger(rounds) || rounds < 1) fail('--rounds wants a number from 1 on', 2);
const seconds = Number(options.seconds ?? 120);
if (!(seconds > 0)) fail('--seconds wants a positive number', 2);
const available = availableParallelism();
const powers = [1, 2, 4, 8, 16, 32, 64, 128].filter((count) => count < available);
const threads = options.threads ? options.threads.split(',').map(Number) : [...powers, available];
if (threads[0] !== 1 || !threads.every((count) => Number.isInteger(count) && count > 0))
  fail('--threads wants numbers, the first of them 1', 2);

const cases = [
  { name: 'matmul', size: 512 },
  { name: 'vadd', size: 8_000_000 },
  { name: 'histogram', size: 16_000_000 },
  { name: 'softmax', size: 512 },
  { name: 'philox', size: 256 },
];
// Long enough that 16 threads take some ten milliseconds, with enough workgroups for each of them.
const larger = [
  { name: 'matmul', size: 768 },
  { name: 'vadd', size: 16_000_000 },
  { name: 'histogram', size: 128_000_000 },
  { name: 'softmax', size: 4096 },
  { name: 'philox', size: 512 },
];

function openFolder() {
  if (options.prebuilt) {
    const folder = resolve(options.prebuilt);
    if (!existsSync(join(folder, 'speed'))) fail(`${folder} is no folder that --bundle made`, 5);
    return folder;
  }
  const missing = (message) => fail(message, 5);
  if (options.bundle) {
    const folder = resolve(options.bundle);
    buildInto(folder, options, missing);
    addNode(folder);
    process.exit(0);
  }
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  buildInto(folder, options, missing);
  return folder;
}

const folder = openFolder();
const single = sideBySide(folder, cases, rounds, seconds / 2);
const scaled = scaling(folder, larger, threads, rounds, seconds / 2);
const report = {
  bench: 'softgpu-speed',
  unit: 'million wave64-instructions a second and core',
  date: new Date().toISOString().slice(0, 10),
  cpu: cpus()[0].model,
  hardware_threads: available,
  rounds: single.rounds,
  least_ratio: Math.min(...single.rows.map((row) => row.ratio)),
  single_thread: single.rows,
  percent_of_samples: Object.fromEntries(cases.map((one) => [one.name, breakdown(folder, one)])),
  scaling_rounds: scaled.rounds,
  scaling: scaled.rows,
};
console.log(JSON.stringify(report, null, 2));
