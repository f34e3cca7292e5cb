import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Call, FakeProgram } from '../../testing/fake-deps';
import { fakeRecorder, fakeReplay, passed } from '../../testing/fake-programs';
import type { TestWorkspace } from '../../testing/workspace';

const symbol = '_Z5saxpyPff';
const hash = '0x1234';

/** A code object with the kernel of `kernelJson`, built once by the compiler that the recompile specs use too. */
export function realCodeObject(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'kernloop-pgo-spec-'));
  try {
    writeFileSync(join(folder, 'k.hip'), '__attribute__((global)) void saxpy(float* x, float a) { *x = a; }\n');
    const device = ['--offload-arch=gfx90a', '--cuda-device-only', '--no-gpu-bundle-output', '-nogpulib', '-nogpuinc'];
    execFileSync('clang++-15', ['-x', 'hip', ...device, '-c', 'k.hip', '-o', 'k.co'], { cwd: folder, stdio: 'pipe' });
    return readFileSync(join(folder, 'k.co'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Installs fake folders of LLVM 22 and ROCm; returns the variables that name them. */
export function installFakes(workspace: TestWorkspace): Record<string, string> {
  for (const name of ['clang++', 'ld.lld', 'llvm-profdata']) {
    chmodSync(workspace.write(`llvm/bin/${name}`, `#!/bin/false ${name}\n`), 0o755);
  }
  workspace.write('llvm/lib/cmake/llvm/LLVMConfig.cmake', '');
  workspace.write('llvm/lib/clang/22/lib/linux/libclang_rt.profile-x86_64.a', '');
  workspace.write('rocm/include/hip/hip_runtime.h', '');
  workspace.write('rocm/include/hip/hip_version.h', '#define HIP_VERSION_MAJOR 5\n');
  workspace.write('rocm/amdgcn/bitcode/ockl.bc', '');
  return { KERNLOOP_LLVM: workspace.path('llvm'), ROCM_PATH: workspace.path('rocm') };
}

/** Writes what generate leaves of a kernel with a single source file. */
export function writeRecipe(workspace: TestWorkspace, more: object = {}): void {
  const root = 'kernels/app/saxpy';
  const sources = { main: 'saxpy.hip', variant: { file: 'kernel_variant.hip', stands_for: 'saxpy.hip' } };
  workspace.write(`${root}/deps/saxpy.hip`, '__global__ void saxpy() {}\n');
  workspace.write(`${root}/pristine/recipe.json`, {
    ...{ schema: 'kernloop.recipe/1', language: 'hip', symbol, environment: {}, target: 'gfx90a' },
    ...{ compiler: { name: 'hipcc', version: '15' }, arguments: ['-O2', '-x', 'hip'], ...sources, signature: null },
    ...{ aliases: {}, files: {}, notes: [], code_object: { captured: 'a'.repeat(64), recompiled: 'a'.repeat(64) } },
    ...more,
  });
  const place = '{reproducer}/deps/saxpy.hip';
  workspace.write(`${root}/pristine/overlay.template.json`, {
    ...{ version: 0, 'case-sensitive': true, 'use-external-names': true },
    roots: [{ type: 'file', name: place, 'external-contents': '{reproducer}/kernel_variant.hip' }],
  });
}

/** Value of an option given as `-Xclang -mllvm -Xclang -NAME=VALUE`. */
export function pluginOption({ args }: Pick<Call, 'args'>, name: string): string | undefined {
  return args.find((word) => word.startsWith(`-${name}=`))?.slice(name.length + 2);
}

const write = (path: string | undefined, content: object | Buffer): void => {
  if (path !== undefined) writeFileSync(path, Buffer.isBuffer(content) ? content : JSON.stringify(content));
};

const map = {
  ...{ schema: 'kernloop.pgo-map/1', module: 'k.hip', arch: 'gfx90a', wave_size: 64, sampling: 'all' },
  functions: [
    {
      ...{ name: symbol, symbol, hash, kernel: true },
      blocks: [
        { class: 0, line: 1, file: './kernel_variant.hip' },
        { class: 1, line: 1, file: './kernel_variant.hip' },
      ],
      counters: [
        { kind: 'block', block: 0, class: 0 },
        { kind: 'block', block: 1, class: 1 },
      ],
      classes: [{ blocks: [0] }, { blocks: [1] }],
    },
  ],
};

const wavesJson = {
  ...{ schema: 'kernloop.pgo-waves/1', arch: 'gfx90a', wave_size: 64, sampling: 'all' },
  functions: [
    {
      ...{ name: symbol, hash, counters: ['0x400', '0x10'], uniform: ['0x400', '0x0'], pattern: 'UD' },
      ...{ classes: [{ waves: '0x10' }, { waves: '0x8' }], counter_class: [0, 1] },
    },
  ],
};

/** Spills differ by gate, so that a selector has a choice. */
const spilled: Readonly<Record<string, number>> = { base: 8, off: 4, uniform: 6, flatten: 6, wave: 2 };

const report = (gate: string): object => ({
  ...{ schema: 'kernloop.pgo-report/1', arch: 'gfx90a' },
  functions: [
    {
      ...{ name: symbol, symbol, hash, profile: 'used', pattern: 'UD' },
      blocks: [{ block: 0, lanes: 1024, waves: 16, letter: 'U' }],
      machine_blocks: [
        { number: 0, store_dwords: spilled[gate] ?? 0, load_dwords: 0, waves: 16, block: 0, letter: 'U', lanes: 1024 },
      ],
      ...{ spills: { store_dwords: spilled[gate] ?? 0, load_dwords: 0 }, score: 16 * (spilled[gate] ?? 0) },
    },
  ],
});

/** clang of LLVM 22, as far as PGO depends on it. Every build differs, as with the real compiler. */
export function fakeClang(code: Buffer, refuse?: (call: Call) => string | undefined): FakeProgram {
  return (call) => {
    if (call.args.includes('--version')) {
      call.print('Debian clang version 22.1.8');
      return 0;
    }
    const why = refuse?.(call);
    if (why !== undefined) return { exitCode: 1, stderrTail: `error: ${why}` };
    const output = call.args[call.args.indexOf('-o') + 1] ?? '';
    const gate =
      pluginOption(call, 'kernloop-pgo-weights') === 'false'
        ? 'base'
        : (pluginOption(call, 'kernloop-pgo-gate') ?? 'base');
    write(output, Buffer.concat([code, Buffer.from(gate + (pluginOption(call, 'kernloop-pgo') ?? ''))]));
    const dependencies = call.args.indexOf('-dependency-file') + 2;
    if (dependencies > 1) writeFileSync(call.args[dependencies] ?? '', 'variant: kernel_variant.hip\n');
    write(pluginOption(call, 'kernloop-pgo-map'), map);
    write(pluginOption(call, 'kernloop-pgo-report'), report(gate));
    return 0;
  };
}

const fakeCmake: FakeProgram = ({ args }) => {
  const tree = args[args.indexOf('--build') + 1] ?? '';
  if (!args.includes('--build')) return 0;
  mkdirSync(join(tree, 'lib'), { recursive: true });
  writeFileSync(join(tree, 'lib', 'kernloop-pgo-pass-22.so'), 'plugin');
  return 0;
};

/** kernloop-pgo: finds one unit in what a replay read back, and merges any inputs to one profile. */
const fakePgo: FakeProgram = ({ args, print }) => {
  const after = (option: string): string => args[args.indexOf(option) + 1] ?? '';
  if (args[0] === 'convert') {
    const file = after('--output').replace(/\.profraw$/, '.amdgcn-amd-amdhsa.c0.profraw');
    writeFileSync(file, 'raw');
    print({
      ...{ event: 'converted', cuid: 'c0', arch: 'gfx90a', wave_size: 64, sampling: 'all', functions: 1, counters: 2 },
      ...{ saturated: 0, text: 'reduced 512 slots to 2 counters', files: [file] },
    });
    return 0;
  }
  write(after('--waves'), wavesJson);
  writeFileSync(after('--output'), 'text');
  print({ event: 'merged', inputs: 1, functions: 1, counters: 2, arch: 'gfx90a', output: after('--output') });
  return 0;
};

const fakeProfdata: FakeProgram = ({ args }) => {
  writeFileSync(args[args.indexOf('-o') + 1] ?? '', 'indexed');
  return 0;
};

/** Wave-instructions by name of the code object; the captured code has 1000. */
const instructions: Readonly<Record<string, number>> = { base: 900, off: 800, uniform: 850, flatten: 850, wave: 700 };

const fakeReplayOfVariants = fakeReplay((args) => {
  const file = args[args.indexOf('--code-object') + 1] ?? '';
  const name = args.includes('--code-object') ? basename(file).split('.')[0] : 'captured';
  const counters = { wave_instructions: instructions[name ?? ''] ?? 1000 };
  const iteration = { event: 'iteration', index: 0, counters };
  if (args.includes('--lens')) {
    mkdirSync(args[args.indexOf('--lens-output') + 1] ?? '', { recursive: true });
    const lens = { event: 'lens', bytes: 1, variables: [], buffers: [] };
    return [iteration, lens, { ...passed, wave_instructions: 4000 }];
  }
  if (args.includes('--compare')) return [passed];
  return [iteration, { ...passed, verdict: 'ran', ...counters }];
});

/** All programs that the stages of PGO start. */
export function pgoPrograms(
  code: Buffer,
  more: Readonly<Record<string, FakeProgram>> = {},
): Record<string, FakeProgram> {
  return {
    'clang++': fakeClang(code),
    cmake: fakeCmake,
    'kernloop-pgo': fakePgo,
    'llvm-profdata': fakeProfdata,
    'kernloop-replay': fakeReplayOfVariants,
    // The store of a test does not contain the captured code.
    'kernloop-archive': () => 1,
    ...more,
  };
}

const rtc = { program: 'k.hip' };
const runtimeEvents = [
  { event: 'program', ...rtc, folder: '/cache/k', profile: '', gate: '', compiled: true },
  { event: 'measured', ...rtc, launches: 2, kernels: ['k'], profile: 'p'.repeat(32), known: false, gate: 'wave' },
  { event: 'sampled', ...rtc, launches: 1, distance: 1234, changed: true },
  { event: 'kernel', ...rtc, kernel: 'k', own: 1, counting: 2, production: 3 },
];

/** An app of two units, one of them with device code; its program writes counters if the collector is preloaded. */
export function writeApp(workspace: TestWorkspace): Record<string, FakeProgram> {
  const config = JSON.parse(workspace.read('app/kernloop.json')) as object;
  workspace.write('app/kernloop.json', { ...config, compileCommands: 'build/compile_commands.json' });
  const directory = workspace.path('app', 'build');
  const unit = (file: string, compiler: string): object => ({
    ...{ directory, file: workspace.path('app', file) },
    arguments: [compiler, '-O2', '-c', '-o', `${file}.o`, workspace.path('app', file)],
  });
  workspace.write('app/build/compile_commands.json', [unit('k.hip', 'hipcc'), unit('host.cpp', 'c++')] as object);
  for (const file of ['k.hip', 'host.cpp']) workspace.write(`app/${file}`, '');
  workspace.write('app/program', '\u007fELF');
  return {
    'c++': ({ args }) => {
      writeFileSync(args[args.indexOf('-o') + 1] ?? '', 'object');
      return 0;
    },
    program: ({ options, print }) => {
      const pattern = options.env?.['LLVM_PROFILE_FILE'];
      print('the same');
      if (pattern !== undefined && options.env?.['LD_PRELOAD']?.includes('libkernloop-pgo-hip.so')) {
        writeFileSync(pattern.replace('%p', '1').replace('.profraw', '.amdgcn-amd-amdhsa.c0.profraw'), 'raw');
        writeFileSync(pattern.replace('%p', '1'), 'raw of the host');
      }
      const runtime = options.env?.['KERNLOOP_PGO_RUNTIME'];
      if (runtime !== undefined && options.env?.['LD_PRELOAD']?.includes('libkernloop-pgo-runtime.so'))
        writeFileSync(
          join(dirname(runtime), '1.ndjson'),
          runtimeEvents.map((event) => JSON.stringify(event)).join('\n'),
        );
      return 0;
    },
    ldd: () => 1,
  };
}

/** A recorder that reports one kernel with `total()` wave-instructions. */
export const appRecorder =
  (total: () => number): FakeProgram =>
  (call) => {
    const figures = { dispatches: 1, total: total(), min: 1, median: 1, max: 1 };
    const geometry = { grid_blocks: [4, 1, 1], block_threads: [64, 1, 1], dispatches: 1 };
    const row = { name: 'saxpy(float*, float)', symbol, code_object: 'c', unit: 'wave_instructions' };
    const kernels = [{ ...row, ...figures, geometries: [geometry] }];
    const summary = { processes: 1, dispatches: 1, kernels: [], kernel_profile: kernels };
    return fakeRecorder({ play: () => undefined, summary })(call);
  };
