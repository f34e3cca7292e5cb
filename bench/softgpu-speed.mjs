// The software GPU beside the prototype that it replaced: wave-instructions a second and core, and how it scales over cores.
//   node bench/softgpu-speed.mjs [--prototype DIR] [--llvm DIR] [--build DIR] [--rounds N] [--cores 1,2,…] [--bundle DIR | --prebuilt DIR]
// The prototype's sources are no part of this repository: --prototype or KERNLOOP_BENCH_PROTOTYPE names them. It wants the LLVM of
// --llvm (default /usr/lib/llvm-15) with headers and static libraries (Debian: llvm-15-dev). --bundle puts all that a run needs, the
// host's C library included, into a folder, and stops; --prebuilt runs from such a folder, on a machine without compilers.
// Both runtimes drive the same program and the same code objects; runs alternate. Rates are of CPU time with one thread, each the best
// dispatch of all rounds; scaling is wall time. Prints one JSON object.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

function fail(message, code) {
  process.stderr.write(`softgpu-speed: ${message}\n`);
  process.exit(code);
}

function readOptions() {
  const text = { type: 'string' };
  const options = { prototype: text, llvm: text, build: text, rounds: text, cores: text, bundle: text, prebuilt: text };
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return fail(error.message, 2);
  }
}

const options = readOptions();
const rounds = Number(options.rounds ?? 5);
if (!Number.isInteger(rounds) || rounds < 1) fail('--rounds wants a number from 1 on', 2);
const allCores = availableParallelism();
const powers = [1, 2, 4, 8, 16, 32, 64, 128].filter((count) => count < allCores);
const cores = options.cores ? options.cores.split(',').map(Number) : [...powers, allCores];
if (!cores.every((count) => Number.isInteger(count) && count > 0)) fail('--cores wants numbers from 1 on', 2);

const HALF_A_SECOND_OR_LESS = 3; // dispatches a run
const cases = [
  { name: 'matmul', size: 512 },
  { name: 'vadd', size: 8_000_000 },
  { name: 'histogram', size: 16_000_000 },
  { name: 'softmax', size: 512 },
  { name: 'philox', size: 1024 },
];

// What a run needs, in one folder: speed, kernels.hsaco, softgpu/ and prototype/ with a libhsa-runtime64.so.1 each, lib/ with the rest.
function buildInto(folder) {
  const prototype = resolve(
    options.prototype ?? process.env.KERNLOOP_BENCH_PROTOTYPE ?? join(root, '..', 'shared', 'prototypes', 'softgpu'),
  );
  const llvm = resolve(options.llvm ?? '/usr/lib/llvm-15');
  const runtime = join(resolve(options.build ?? join(root, 'native', 'build')), 'lib', 'softgpu');
  const name = 'libhsa-runtime64.so.1';
  if (!existsSync(join(prototype, 'swgpu.cpp')))
    fail(`no prototype in ${prototype}: name its folder with --prototype`, 5);
  if (!existsSync(join(llvm, 'include', 'llvm-c', 'Disassembler.h')))
    fail(`no LLVM headers in ${llvm}: install llvm-15-dev or name another LLVM with --llvm`, 5);
  if (!existsSync(join(runtime, name))) fail(`${join(runtime, name)} is missing: build the native programs first`, 5);
  for (const sub of ['softgpu', 'prototype', 'lib', 'objects']) mkdirSync(join(folder, sub), { recursive: true });
  cpSync(join(runtime, name), join(folder, 'softgpu', name));

  const run = (program, ...words) => execFileSync(program, words, { stdio: ['ignore', 'inherit', 'inherit'] });
  const object = (source) => join(folder, 'objects', `${source}.o`);
  const sources = ['vmem', 'extra', 'hsart', 'swgpu', 'missing'];
  for (const source of sources) {
    const clang = source === 'swgpu';
    const flags = clang
      ? ['-O3', '-march=x86-64-v4', '-mprefer-vector-width=512', '-ffp-contract=off', '-fno-math-errno', '-std=c++17']
      : ['-O2', '-Wno-narrowing'];
    const include = `-I${join(llvm, 'include')}`;
    run(clang ? 'clang++-15' : 'g++', ...flags, '-w', '-fPIC', include, '-c', join(prototype, `${source}.cpp`), '-o', object(source)); // prettier-ignore
  }
  const archives = readdirSync(join(llvm, 'lib')).filter((file) => /^libLLVM.*\.a$/.test(file));
  const version = `-Wl,--version-script=${join(prototype, 'v.map')}`;
  const soname = `-Wl,-soname,${name}`;
  const libraries = ['-Wl,--start-group', ...archives.map((file) => join(llvm, 'lib', file)), '-Wl,--end-group', '-l:libz.so.1', '-l:libtinfo.so.6', '-lpthread']; // prettier-ignore
  run('g++', '-shared', '-s', '-Wl,--gc-sections', '-static-libstdc++', '-static-libgcc', version, soname, ...sources.map(object), ...libraries, '-o', join(folder, 'prototype', name)); // prettier-ignore
  rmSync(join(folder, 'objects'), { recursive: true });

  const here = join(root, 'bench', 'softgpu');
  run('g++', '-O2', '-std=c++20', '-static-libstdc++', '-static-libgcc', join(here, 'speed.cpp'), `-L${join(folder, 'softgpu')}`, `-l:${name}`, '-o', join(folder, 'speed')); // prettier-ignore
  const device = ['--offload-arch=gfx90a', '--cuda-device-only', '--no-gpu-bundle-output', '--rocm-path=/usr', '--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode']; // prettier-ignore
  run('clang-15', '-x', 'hip', '-O3', ...device, join(here, 'kernels.hip'), '-o', join(folder, 'kernels.hsaco'));
  for (const runtime of ['softgpu', 'prototype']) copyLibrariesOf(join(folder, runtime, name));
}

function copyLibrariesOf(binary) {
  for (const line of execFileSync('ldd', [binary], { encoding: 'utf8' }).split('\n')) {
    const [path] = /\/\S+/.exec(line) ?? [];
    if (path && existsSync(path) && !path.endsWith('libhsa-runtime64.so.1'))
      cpSync(path, join(options.folder, 'lib', path.split('/').at(-1)), { dereference: true });
  }
}

function measure(runtime, { name, size }, threads) {
  const { folder } = options;
  const library = join(folder, runtime);
  const program = [join(folder, 'speed'), join(folder, 'kernels.hsaco'), name, size, HALF_A_SECOND_OR_LESS].map(String);
  const loader = join(folder, 'lib', 'ld-linux-x86-64.so.2');
  const { stdout, stderr, status } = spawnSync(
    loader,
    ['--library-path', `${library}:${join(folder, 'lib')}`, ...program],
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

const least = (results, field) => Math.min(...results.flatMap((result) => result[field]));
const millionsASecond = (instructions, nanoseconds) => Number(((instructions / nanoseconds) * 1000).toFixed(1));

function compare(one) {
  const results = { softgpu: [], prototype: [] };
  for (let round = 0; round < rounds; round += 1)
    for (const runtime of ['softgpu', 'prototype']) results[runtime].push(measure(runtime, one, 1));
  const [{ wave_instructions }] = results.softgpu;
  const [{ wave_instructions: counted }] = results.prototype;
  if (counted !== wave_instructions)
    throw new Error(`${one.name}: the prototype executed ${counted} wave-instructions, not ${wave_instructions}`);
  const ours = millionsASecond(wave_instructions, least(results.softgpu, 'cpu_ns'));
  const theirs = millionsASecond(wave_instructions, least(results.prototype, 'cpu_ns'));
  const ratio = Number((ours / theirs).toFixed(2));
  return { case: one.name, size: one.size, wave_instructions, softgpu: ours, prototype: theirs, ratio };
}

function scale(one) {
  const samples = cores.map(() => []);
  for (let round = 0; round < rounds; round += 1)
    cores.forEach((count, index) => samples[index].push(measure('softgpu', one, count)));
  const rates = samples.map((results) => millionsASecond(results[0].wave_instructions, least(results, 'wall_ns')));
  return {
    case: one.name,
    cores: cores.map((count, index) => ({
      count,
      wave_instructions_per_us: rates[index],
      efficiency: Number((rates[index] / rates[0] / (count / cores[0])).toFixed(2)),
    })),
  };
}

// Where the time of one thread goes, in percent of the samples in the runtime: by perf, where there is one.
const PARTS = [
  ['vector_alu', /vector::/],
  ['start_of_waves', /begin_wave|Dispatch::|Worker::|WaveScratch/],
  ['interpreter', /Interpreter::|CodeView|CodePage/],
  ['memory', /MemoryPort|avx512::|portable::|global_|flat_|scratch_|Lds|lane|read|write|modify|Load|Store|Atomic/],
  ['scalar', /./],
];
function breakdown({ name, size }) {
  const { folder } = options;
  const file = join(mkdtempSync(join(tmpdir(), 'kernloop-perf-')), 'samples');
  const program = [join(folder, 'speed'), join(folder, 'kernels.hsaco'), name, String(size), '10'];
  const paths = `${join(folder, 'softgpu')}:${join(folder, 'lib')}`;
  const loader = [join(folder, 'lib', 'ld-linux-x86-64.so.2'), '--library-path', paths];
  const environment = { ...process.env, KERNLOOP_SOFTGPU_THREADS: '1' };
  const record = ['record', '-q', '-e', 'cpu-clock', '-F', '2000', '-o', file, '--', ...loader, ...program];
  const recorded = spawnSync('perf', record, { env: environment, stdio: 'ignore' });
  if (recorded.status !== 0) return undefined;
  const text = execFileSync('perf', ['report', '-i', file, '--stdio', '--no-children', '-F', 'overhead,dso,sym'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  rmSync(dirname(file), { recursive: true });
  const shares = Object.fromEntries(PARTS.map(([part]) => [part, 0]));
  for (const line of text.split('\n')) {
    const [, share, symbol] = /^\s*([\d.]+)%\s+libhsa-runtime64\S*\s+\[\.\] (.*)/.exec(line) ?? [];
    if (share) shares[PARTS.find(([, pattern]) => pattern.test(symbol))[0]] += Number(share);
  }
  const total = Object.values(shares).reduce((sum, share) => sum + share, 0);
  if (total === 0) return undefined;
  return Object.fromEntries(Object.entries(shares).map(([part, share]) => [part, Math.round((100 * share) / total)]));
}

if (options.prebuilt) {
  options.folder = resolve(options.prebuilt);
  if (!existsSync(join(options.folder, 'speed'))) fail(`${options.folder} is no folder that --bundle made`, 5);
} else {
  options.folder = options.bundle ? resolve(options.bundle) : mkdtempSync(join(tmpdir(), 'kernloop-bench-'));
  if (!options.bundle) process.on('exit', () => rmSync(options.folder, { recursive: true, force: true }));
  buildInto(options.folder);
  if (options.bundle) process.exit(0);
}
const table = cases.map(compare);
const report = {
  bench: 'softgpu-speed',
  unit: 'million wave64-instructions a second and core',
  cpu: cpus()[0].model,
  hardware_threads: allCores,
  rounds,
  least_ratio: Math.min(...table.map((row) => row.ratio)),
  single_thread: table,
  percent_of_samples: Object.fromEntries(cases.map((one) => [one.name, breakdown(one)])),
  scaling: cases.map(scale),
};
console.log(JSON.stringify(report, null, 2));
