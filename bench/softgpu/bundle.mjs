// All that a run needs in one folder: speed, kernels.hsaco, softgpu/ and prototype/ with a libhsa-runtime64.so.1 each, and lib/ with the
// host's C library and the rest. For another machine also Node, these scripts and run.sh: nothing of that machine is used but its kernel.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));
const RUNTIME = 'libhsa-runtime64.so.1';

const run = (program, ...words) => execFileSync(program, words, { stdio: ['ignore', 'inherit', 'inherit'] });

// Folders of the parts; `missing(message)` ends the program.
function sourcesOf(options, missing) {
  const named = options.prototype ?? process.env.KERNLOOP_BENCH_PROTOTYPE;
  if (!named) missing('the prototype is no part of this repository: name its folder with --prototype');
  const prototype = resolve(named);
  const llvm = resolve(options.llvm ?? '/usr/lib/llvm-15');
  const runtime = join(resolve(options.build ?? join(root, 'native', 'build')), 'lib', 'softgpu');
  if (!existsSync(join(prototype, 'swgpu.cpp')))
    missing(`no prototype in ${prototype}: name its folder with --prototype`);
  if (!existsSync(join(llvm, 'include', 'llvm-c', 'Disassembler.h')))
    missing(`no LLVM headers in ${llvm}: install llvm-15-dev or name another LLVM with --llvm`);
  if (!existsSync(join(runtime, RUNTIME)))
    missing(`${join(runtime, RUNTIME)} is missing: build the native programs first`);
  return { prototype, llvm, runtime };
}

function buildPrototype(folder, prototype, llvm) {
  const objects = join(folder, 'objects');
  mkdirSync(objects);
  const object = (source) => join(objects, `${source}.o`);
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
  const libraries = ['-Wl,--start-group', ...archives.map((file) => join(llvm, 'lib', file)), '-Wl,--end-group', '-l:libz.so.1', '-l:libtinfo.so.6', '-lpthread']; // prettier-ignore
  run('g++', '-shared', '-s', '-Wl,--gc-sections', '-static-libstdc++', '-static-libgcc', version, `-Wl,-soname,${RUNTIME}`, ...sources.map(object), ...libraries, '-o', join(folder, 'prototype', RUNTIME)); // prettier-ignore
  rmSync(objects, { recursive: true });
}

function buildPrograms(folder) {
  run('g++', '-O2', '-std=c++20', '-static-libstdc++', '-static-libgcc', join(here, 'speed.cpp'), `-L${join(folder, 'softgpu')}`, `-l:${RUNTIME}`, '-o', join(folder, 'speed')); // prettier-ignore
  const device = ['--offload-arch=gfx90a', '--cuda-device-only', '--no-gpu-bundle-output', '--rocm-path=/usr', '--rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode']; // prettier-ignore
  run('clang-15', '-x', 'hip', '-O3', ...device, join(here, 'kernels.hip'), '-o', join(folder, 'kernels.hsaco'));
}

function copyLibrariesOf(binary, folder) {
  for (const line of execFileSync('ldd', [binary], { encoding: 'utf8' }).split('\n')) {
    const [path] = /\/\S+/.exec(line) ?? [];
    if (path && existsSync(path) && !path.endsWith(RUNTIME))
      cpSync(path, join(folder, 'lib', path.split('/').at(-1)), { dereference: true });
  }
}

export function buildInto(folder, options, missing) {
  const { prototype, llvm, runtime } = sourcesOf(options, missing);
  for (const sub of ['softgpu', 'prototype', 'lib']) mkdirSync(join(folder, sub), { recursive: true });
  cpSync(join(runtime, RUNTIME), join(folder, 'softgpu', RUNTIME));
  buildPrototype(folder, prototype, llvm);
  buildPrograms(folder);
  for (const which of ['softgpu', 'prototype']) copyLibrariesOf(join(folder, which, RUNTIME), folder);
}

const START = `#!/bin/sh
# node bench/softgpu-speed.mjs --prebuilt, with the Node of this folder
here=$(cd "$(dirname "$0")" && pwd)
exec "$here/lib/ld-linux-x86-64.so.2" --library-path "$here/lib" "$here/node" "$here/bench/softgpu-speed.mjs" --prebuilt "$here" "$@"
`;

// Node and the scripts, so that `sh FOLDER/run.sh` is all that another machine has to do.
export function addNode(folder) {
  cpSync(process.execPath, join(folder, 'node'), { dereference: true });
  copyLibrariesOf(process.execPath, folder);
  cpSync(join(root, 'bench', 'softgpu-speed.mjs'), join(folder, 'bench', 'softgpu-speed.mjs'));
  const scripts = readdirSync(here).filter((file) => file.endsWith('.mjs'));
  for (const file of scripts) cpSync(join(here, file), join(folder, 'bench', 'softgpu', file));
  writeFileSync(join(folder, 'run.sh'), START);
  chmodSync(join(folder, 'run.sh'), 0o755);
}
