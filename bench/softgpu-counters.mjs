// Cost of counting on the software GPU: CPU time per dispatch, with one thread, of
//   before    another build of the runtime (--before: the folder with its libhsa-runtime64.so.1)
//   default   this build, as apps, captures and validations run it
//   again     the same again: shows the noise between two equal sets of runs on this machine
//   profiled  this build with a profile of every instruction, as `kernloop replay` runs it
//   node bench/softgpu-counters.mjs [--before DIR] [--build DIR] [--rounds N] [--callgrind]
// The same program drives all; runs alternate, and each figure is the minimum over all dispatches. --callgrind instead
// counts host instructions per dispatch with valgrind, which a busy machine does not change (valgrind has no AVX-512:
// lanes run in AVX2). Prints one JSON object.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const runtime = 'libhsa-runtime64.so.1';

function fail(message, code) {
  process.stderr.write(`softgpu-counters: ${message}\n`);
  process.exit(code);
}

function readOptions() {
  const text = { type: 'string' };
  try {
    return parseArgs({ options: { before: text, build: text, rounds: text, callgrind: { type: 'boolean' } } }).values;
  } catch (error) {
    return fail(error.message, 2);
  }
}

const options = readOptions();
const rounds = Number(options.rounds ?? 5);
if (!Number.isInteger(rounds) || rounds < 1) fail('--rounds wants a number from 1 on', 2);
const built = join(resolve(options.build ?? join(root, 'native', 'build')), 'lib', 'softgpu');
const before = options.before && resolve(options.before);
for (const folder of [built, ...(before ? [before] : [])])
  if (!existsSync(join(folder, runtime)))
    fail(`${join(folder, runtime)} is missing: build the native programs first`, 5);

const sides = [
  ...(before ? [{ name: 'before', library: before, more: [] }] : []),
  { name: 'default', library: built, more: [] },
  ...(options.callgrind ? [] : [{ name: 'again', library: built, more: [] }]),
  { name: 'profiled', library: built, more: ['profiled'] },
];
const dispatches = 3; // per run
const cases = [
  { name: 'matmul', size: 256, small: 128 },
  { name: 'vadd', size: 2_000_000, small: 200_000 },
  { name: 'histogram', size: 4_000_000, small: 500_000 },
  { name: 'softmax', size: 256, small: 32 },
  { name: 'philox', size: 64, small: 4 },
].map(({ name, size, small }) => ({ name, size: options.callgrind ? small : size }));

const folder = mkdtempSync(join(tmpdir(), 'kernloop-counters-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

function build() {
  const here = join(root, 'bench', 'softgpu');
  const start = (program, ...words) => execFileSync(program, words, { stdio: ['ignore', 'inherit', 'inherit'] });
  start(
    'g++',
    '-O2',
    '-std=c++20',
    join(here, 'speed.cpp'),
    `-L${built}`,
    `-l:${runtime}`,
    '-o',
    join(folder, 'speed'),
  );
  const device = ['--offload-arch=gfx90a', '--cuda-device-only', '--no-gpu-bundle-output', '--rocm-path=/usr', '--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode']; // prettier-ignore
  start('clang-15', '-x', 'hip', '-O3', ...device, join(here, 'kernels.hip'), '-o', join(folder, 'kernels.hsaco'));
}

function run({ library, more }, { name, size }, count, before = []) {
  const words = [...before, join(folder, 'speed'), join(folder, 'kernels.hsaco'), name, size, count, ...more].map(
    String,
  );
  const env = { ...process.env, LD_LIBRARY_PATH: library, KERNLOOP_SOFTGPU_THREADS: '1' };
  const { stdout, stderr, status } = spawnSync(words[0], words.slice(1), { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name} with ${library} failed: ${stderr}`);
  const result = JSON.parse(stdout);
  if (!result.right) throw new Error(`${name} with ${library} gave a wrong result`);
  return { ...result, stderr };
}

const measure = (side, one) => run(side, one, dispatches);

/** Host instructions of one dispatch: half the difference between a run with two more dispatches and one without. */
function countInstructions(side, one) {
  const valgrind = ['valgrind', '--tool=callgrind', `--callgrind-out-file=${join(folder, 'callgrind.out')}`];
  const [few, more] = [1, 3].map((count) => {
    const { stderr } = run(side, one, count, valgrind);
    return Number(/Collected : (\d+)/.exec(stderr)?.[1]);
  });
  return (more - few) / 2;
}

function compareInstructions(one) {
  const counts = Object.fromEntries(sides.map((side) => [side.name, countInstructions(side, one)]));
  return { case: one.name, size: one.size, host_instructions: counts, ...ratios((of, to) => counts[of] / counts[to]) };
}

function ratios(ratio) {
  const wanted = [['default', 'before'], ['again', 'default'], ['profiled', 'default']]; // prettier-ignore
  const known = wanted.filter((pair) => pair.every((name) => sides.some((side) => side.name === name)));
  return Object.fromEntries(known.map(([of, to]) => [`${of}_over_${to}`, Number(ratio(of, to).toFixed(3))]));
}

function compare(one) {
  const results = Object.fromEntries(sides.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round += 1) for (const side of sides) results[side.name].push(measure(side, one));
  const counts = new Set(Object.values(results).flatMap((list) => list.map((result) => result.wave_instructions)));
  if (counts.size !== 1) throw new Error(`${one.name}: the wave-instructions differ: ${[...counts].join(', ')}`);
  const least = (name) => Math.min(...results[name].flatMap((result) => result.cpu_ns));
  return {
    case: one.name,
    size: one.size,
    wave_instructions: [...counts][0],
    ...ratios((of, to) => least(of) / least(to)),
  };
}

build();
const report = {
  bench: 'softgpu-counters',
  host: { cpu: cpus()[0]?.model, cores: availableParallelism() },
  ...(options.callgrind ? {} : { rounds, dispatches_a_round: dispatches }),
  cases: cases.map(options.callgrind ? compareInstructions : compare),
};
console.log(JSON.stringify(report, null, 2));
