// Generates and recompiles kernels of small CUDA projects with the nvcc of this machine, because continuous integration
// has none: `node tools/check-nvcc.mjs [sm_90 [part of a title]]`. Every project is compiled like a build, and the
// result serves as the captured code.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const kernloop = resolve(dirname(fileURLToPath(import.meta.url)), '..', 'bin', 'kernloop.js');
const target = process.argv[2] ?? 'sm_90';
const arch = target.replace('sm_', '');
const gencode = `--generate-code=arch=compute_${arch},code=[compute_${arch},${target}]`;
const cmake = ['-forward-unknown-to-host-compiler', '-I{app}/inc', '-O3', '-DNDEBUG', '-std=c++17', gencode];

const pipeline = {
  'inc/pipeline/scale.cuh': `#pragma once
#include "detail/value.h"
#include <tuning.h>
__constant__ float table[4] = {1, 2, 3, 4};
namespace pipeline { namespace {
__device__ int launches;
template <typename T, int N> __global__ void __launch_bounds__(256) scale(T* __restrict__ x, const T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) ++launches;
  if (i < n) x[i] = y[i] * VALUE * TUNING + table[i & 3] * N;
} } }
`,
  'inc/pipeline/detail/value.h': '#define VALUE 3\n',
  'vendor/tuning.h': '#define TUNING 5\n',
  'src/helper.h': 'static __device__ float twice(float x) { return 2 * x; }\n',
  'src/main.cu': `#include <pipeline/scale.cuh>
#include "helper.h"
#include "../inc/pipeline/detail/value.h"
void run(float* p) { pipeline::scale<float, 3><<<1, 64>>>(p, p, 3); pipeline::scale<double, 1><<<1, 64>>>(nullptr, nullptr, 3); }
__global__ void plain(float* x) { *x = twice(*x); }
`,
};

const scale = {
  symbol: /^(__nv_static_.*)?_ZN8pipeline\d+_GLOBAL__N_.*5scaleIfLi3EE/,
  name: 'void pipeline::(anonymous namespace)::scale<float, 3>(float*, float const*, int)',
  sources: pipeline,
  unit: 'src/main.cu',
  variant: 'kernel_variant.cuh',
};
const vendored = [...cmake, '-isystem={app}/vendor'];

const all = [
  { title: 'template in an anonymous namespace of a header, as CMake builds it', ...scale, options: vendored },
  { title: 'relocatable device code of one unit', ...scale, options: [...vendored, '-rdc=true'] },
  { title: 'line information', ...scale, options: [...vendored, '-lineinfo'], identical: false },
  { title: 'device debug information', ...scale, options: [...vendored, '-G'], identical: false },
  {
    title: 'fast math, a register limit, and options for the assembler',
    ...scale,
    options: [...vendored, '-use_fast_math', '-maxrregcount=32', '-Xptxas', '-O2', '-Werror', 'all-warnings'],
  },
  {
    title: 'quoted defines, and options of the host compiler',
    ...scale,
    options: [...vendored, '-DNAME="a b"', '-Xcompiler=-fPIC,-Wall', '-Xcompiler', '-DQ=1', '-fvisibility=hidden'],
  },
  { title: 'a named host compiler', ...scale, options: [...vendored, '-ccbin', '/usr/bin/g++'] },
  {
    title: 'machine code of an older virtual architecture',
    ...scale,
    options: [...vendored.slice(0, 5), '-isystem', '{app}/vendor', '-gencode', `arch=compute_80,code=${target}`],
  },
  {
    title: 'no function with external linkage, so that the module id holds a process',
    symbol: /GLOBAL__N_.*addEPf$/,
    name: '(anonymous namespace)::add(float*)',
    unit: 'k.cu',
    variant: 'kernel_variant.cu',
    options: cmake,
    sources: {
      'k.cu':
        '__device__ static int n;\nnamespace { __global__ void add(float* x) { x[n] += 1; } struct Run { Run() { add<<<1, 1>>>(nullptr); } } run; }\n',
    },
  },
  {
    title: 'no architecture, so that the driver compiles the PTX of the default one',
    ...scale,
    options: vendored.filter((option) => option !== gencode),
    identical: null,
  },
  {
    title: 'includes that step out of folders without device code, and through links',
    symbol: /^_Z3addPfi$/,
    name: 'add(float*, int)',
    unit: 'src/k.cu',
    variant: 'kernel_variant.cu',
    options: cmake,
    links: { linked: 'real' },
    sources: {
      'src/k.cu': `#include "host/../../inc/a.h"
#include "../linked/b.h"
__global__ void add(float* x, int n) { x[n] += A * B; }
`,
      'src/host/unused.h': '',
      'inc/a.h': '#define A 2\n',
      'real/b.h': '#include "inner.h"\n',
      'real/inner.h': '#define B 3\n',
    },
  },
  {
    title: 'assertions, which hold the name of their file',
    symbol: /^_Z3addPfi$/,
    name: 'add(float*, int)',
    unit: 'k.cu',
    variant: 'kernel_variant.cu',
    options: cmake.filter((option) => option !== '-DNDEBUG'),
    identical: false,
    sources: {
      'k.cu': '#include <cassert>\n__global__ void add(float* x, int n) { assert(n > 0 && x); x[n] += 1; }\n',
    },
  },
  {
    title: 'no compile database',
    symbol: /^_Z3addPfi$/,
    name: 'add(float*, int)',
    unit: 'k.cu',
    variant: 'kernel_variant.cu',
    options: [`-arch=${target}`],
    database: false,
    sources: { 'k.cu': '__global__ void add(float* x, int n) { x[n] += 1; }\n' },
  },
  {
    // All kernels are in one file, so there is no other unit to compile; only the captured kernel is assembled.
    title: 'one of many kernels of a unit',
    symbol: /^_Z4add3Pfi$/,
    name: 'add3(float*, int)',
    unit: 'k.cu',
    variant: 'kernel_variant.cu',
    options: cmake,
    identical: false,
    sources: {
      'k.cu': Array.from(
        { length: 10 },
        (_, k) => `__global__ void add${k}(float* x, int n) { for (int i = 0; i < n; ++i) x[i] += ${k}; }\n`,
      ).join(''),
    },
  },
  {
    title: 'one of many kernels of a unit, which have constants of the unit',
    symbol: /^_Z4add3Pfi$/,
    name: 'add3(float*, int)',
    unit: 'k.cu',
    variant: 'kernel_variant.cu',
    options: cmake,
    identical: false,
    sources: {
      'k.cu': `__constant__ float before[100];\n__constant__ float factors[4] = {1, 2, 3, 4};\n${Array.from(
        { length: 10 },
        (_, k) =>
          `__global__ void add${k}(float* x, int n) { x[n] += factors[n & 3] * ${k}${k === 3 ? '' : ' + before[n]'}; }\n`,
      ).join('')}`,
    },
  },
  {
    title: 'device code of another unit',
    symbol: /^_Z3addPf$/,
    name: 'add(float*)',
    unit: 'k.cu',
    options: [...cmake, '-rdc=true'],
    refused: 'RDC_UNSUPPORTED',
    linkedWith: 'other.cu',
    sources: {
      'k.cu': 'extern __device__ float other(float);\n__global__ void add(float* x) { *x = other(*x); }\n',
      'other.cu': '__device__ float other(float x) { return x + 1; }\n',
    },
  },
];

const cases = all.filter(({ title }) => title.includes(process.argv[3] ?? ''));
let failures = 0;
for (const one of cases) {
  const problems = check(one);
  failures += problems.length > 0 ? 1 : 0;
  console.log(
    `${problems.length > 0 ? 'FAIL' : 'ok  '} ${one.title}${problems.map((problem) => `\n       ${problem}`).join('')}`,
  );
}
console.log(
  failures === 0 ? `all ${cases.length} pass for ${target}` : `${failures} of ${cases.length} fail for ${target}`,
);
process.exitCode = failures === 0 ? 0 : 1;

function check(one) {
  const workspace = mkdtempSync(join(tmpdir(), 'kernloop nvcc-'));
  try {
    return checkIn(workspace, one);
  } catch (error) {
    return [String(error.stderr ?? error.stack)];
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

function checkIn(workspace, one) {
  const app = join(workspace, 'apps', 'demo');
  const reproducer = join(workspace, 'kernels', 'demo', 'k');
  const options = one.options.map((option) => option.replace('{app}', app));
  for (const [path, text] of Object.entries(one.sources)) write(join(app, path), text);
  for (const [path, to] of Object.entries(one.links ?? {})) symlinkSync(to, join(app, path));
  write(join(workspace, 'nx.json'), '{}');
  mkdirSync(join(app, 'build'));
  const code = buildAsApp(app, one, options);
  const { symbol, slots } = kernelIn(code, one.symbol);
  write(
    join(app, 'kernloop.json'),
    JSON.stringify({
      name: 'demo',
      device: 'cuda',
      command: ['build/demo'],
      compileCommands: 'build/compile_commands.json',
      kernels: [{ name: 'k', match: 'x' }],
    }),
  );
  write(join(reproducer, 'capture', 'capture.json'), JSON.stringify(captureJson(code, symbol, slots, one)));
  const digest = createHash('sha256').update(code).digest('hex');
  write(join(workspace, '.kernloop', 'store', digest.slice(0, 2), digest), code);

  const generated = run(workspace, 'generate', '--app', app, 'k');
  if (one.refused !== undefined) return generated.output.includes(one.refused) ? [] : [generated.output];
  if (generated.status !== 0) return [generated.output];
  const recipe = JSON.parse(readFileSync(join(reproducer, 'pristine', 'recipe.json'), 'utf8'));
  const problems = [];
  if (/could not be read|not the captured code object/.test(generated.output)) problems.push(generated.output);
  const identical = recipe.code_object.recompiled === recipe.code_object.captured;
  if (one.identical !== null && identical !== (one.identical ?? true))
    problems.push(identical ? 'byte for byte the captured code, unexpectedly' : 'not the captured code');
  for (const file of filesBelow(join(reproducer, 'pristine'))) {
    if (readFileSync(file, 'utf8').includes(workspace)) problems.push(`${file} names the workspace`);
  }
  cpSync(join(reproducer, 'pristine'), reproducer, { recursive: true });

  // Moves the reproducer away from its app.
  renameSync(app, `${app}-gone`);
  const moved = join(workspace, 'moved');
  renameSync(reproducer, moved);
  const unchanged = run(moved, 'recompile');
  if (unchanged.status !== 0) return [...problems, unchanged.output];
  if (sha256(join(moved, 'build', 'variant.cubin')) !== recipe.code_object.recompiled)
    problems.push('recompiling elsewhere gives other code');
  const variant = join(moved, one.variant);
  const source = readFileSync(variant, 'utf8');
  // Inserts a function before all others: nvcc makes part of the module id from the first function of a unit.
  writeFileSync(variant, `int first_function() { return 0; }\n#line 1\n${source}`);
  const edited = run(moved, 'recompile');
  if (edited.status !== 0) problems.push(edited.output);
  if (!edited.output.includes(one.variant)) problems.push('the variant is not among the sources');
  writeFileSync(variant, `${source}\nint broken = ;\n`);
  const broken = run(moved, 'recompile');
  if (broken.status !== 1 || !new RegExp(`${one.variant}[(:]\\d+`).test(broken.output))
    problems.push(`the error of an edit is not passed on: ${broken.output}`);
  return problems;
}

/** Cubin that a build puts into its object file, linked if it is relocatable. */
function buildAsApp(app, { unit, linkedWith, database }, options) {
  const build = join(app, 'build');
  const keep = join(build, 'kept');
  mkdirSync(keep);
  const command = ['nvcc', ...options, '-x', 'cu', '-c', join(app, unit), '-o', 'unit.o'];
  if (database !== false)
    write(
      join(build, 'compile_commands.json'),
      JSON.stringify([{ directory: build, file: join(app, unit), arguments: command }]),
    );
  // Compiles PTX like the driver.
  const driver =
    options.includes(gencode) || options.some((option) => /arch/.test(option))
      ? []
      : ['-gencode', `arch=compute_75,code=${target}`];
  execFileSync('nvcc', [...command.slice(1), ...driver, '--keep', '--keep-dir', keep], { cwd: build, stdio: 'pipe' });
  const [cubin] = filesBelow(keep).filter((path) => path.endsWith('.cubin'));
  if (!options.includes('-rdc=true')) return readFileSync(cubin);
  const linked = [cubin];
  if (linkedWith !== undefined) {
    linked.push(join(build, 'other.cubin'));
    const other = ['-rdc=true', `-arch=${target}`, '-cubin', join(app, linkedWith), '-o', linked[1]];
    execFileSync('nvcc', other, { stdio: 'pipe' });
  }
  const link = ['-dlink', '-cubin', `-arch=${target}`, ...linked, '-o', 'linked.cubin'];
  execFileSync('nvcc', link, { cwd: build, stdio: 'pipe' });
  return readFileSync(join(build, 'linked.cubin'));
}

/** Names from readelf, an independent oracle. */
function kernelIn(code, wanted) {
  const scratch = mkdtempSync(join(tmpdir(), 'kernloop-nvcc-'));
  try {
    writeFileSync(join(scratch, 'code'), code);
    const listed = execFileSync('readelf', ['-sW', join(scratch, 'code')], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const names = listed
      .split('\n')
      .filter((line) => line.includes(' FUNC '))
      .map((line) => line.trim().split(/\s+/).at(-1));
    const symbol = names.find((name) => wanted.test(name));
    if (symbol === undefined) throw new Error(`no ${wanted} in ${names.join(', ')}`);
    return { symbol, slots: [] };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function captureJson(code, symbol, slots, { name }) {
  const digest = createHash('sha256').update(code).digest('hex');
  return {
    schema: 'kernloop.capture/1',
    app: { name: 'demo' },
    hash: 'sha256',
    chunk_bytes: 4194304,
    device: { kind: 'cuda', identity: 'none', isa: target.replace(/[af]$/, ''), name: 'none', wavefront_size: 32 },
    kernel: { name, symbol, code_object: digest, kernarg_bytes: 0, group_segment_bytes: 0, private_segment_bytes: 0 },
    dispatch: { ordinal: 1, index: 0, queue: 0 },
    geometry: {
      grid_blocks: [1, 1, 1],
      block_threads: [64, 1, 1],
      grid_work_items: [64, 1, 1],
      group_segment_bytes: 0,
      private_segment_bytes: 0,
      dimensions: 1,
    },
    kernarg: { hex: '', slots },
    scope: { mode: 'reachable', widened: false, tracked_regions: 0, tracked_bytes: 0 },
    regions: [],
    module_variables: [],
    code_objects: [{ sha256: digest, size: code.length, load_base: '0x0', content: { chunks: [digest] } }],
  };
}

function run(cwd, ...args) {
  const ended = spawnSync(process.execPath, [kernloop, ...args], { cwd, encoding: 'utf8' });
  return { status: ended.status, output: ended.stdout + ended.stderr };
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
