import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { adopt } from '../adopt/adopt';
import { defaultDeps, type Deps } from '../deps/deps';
import { recompile } from '../recompile/recompile';
import { runProcess, type ProcessRunner } from '../support/exec';
import { failure } from '../testing/failure';
import { describeCode } from '../toolchain/described-code';
import { CompiledUnits } from '../toolchain/compiled-units';
import { isSameKernelCode } from '../toolchain/compared-code';
import type { Recipe } from '../toolchain/recipe';
import { generate } from './generate';
import { fixture, recordingDeps, type Fixture } from './testing/fixture';

jest.setTimeout(240_000);

const llvm = '/usr/lib/llvm-15/bin';
const symbol = '_Z2k7Pfi';

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

/** Replaces HIP's own header, which takes most of a compilation's time. */
const gpu = `#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define AT (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())
`;

/** Options that hipcc passes to inline everything. Without them, the inliner decides by cost. */
const inlineAll = '-mllvm -amdgpu-early-inline-all=true -mllvm -amdgpu-function-calls=false';

const hipHeader = '#include <hip/hip_runtime.h>\n#define AT (blockIdx.x * 64 + threadIdx.x)\n';

interface Unit {
  /** Text before the kernels. */
  before?: string;
  /** Bodies of k0 to k8; k7 is captured. */
  body?: (kernel: number) => string;
  compiler?: string;
  /** Whether to use HIP's own header and device library. */
  hip?: boolean;
  inlining?: string;
}

const plainBody = (kernel: number): string => `if (AT < n) x[AT] = twice(x[AT]) + ${kernel};`;
const plainBefore = '__device__ inline float twice(float x) { return x * 2; }';

function unitText({ before = plainBefore, body = plainBody }: Unit = {}): string {
  const kernels = Array.from({ length: 9 }, (_, n) => `__global__ void k${n}(float* x, int n) { ${body(n)} }`);
  return ['#include "gpu.h"', before, ...kernels, ''].join('\n');
}

function make(unit: Unit = {}): Fixture {
  const made = fixture({
    sources: { 'gpu.h': unit.hip ? hipHeader : gpu, 'unit.hip': unitText(unit) },
    compiler: unit.compiler ?? 'clang++-15',
    commands: {
      'unit.hip': `-O3 ${unit.hip ? '' : `-nogpulib -nogpuinc ${unit.inlining ?? inlineAll}`} --offload-arch=gfx90a`,
    },
    captured: 'unit.hip',
    symbol,
    name: 'k7(float*, int)',
  });
  folders.push(made.workspace);
  return made;
}

interface Generated {
  recipe: Recipe;
  deps: Deps;
  said: string[];
  captured: Buffer;
}

async function generated(
  { app, reproducer }: Fixture,
  env: Deps['env'] = process.env,
  starts: (args: readonly string[]) => void = () => undefined,
  units?: CompiledUnits,
): Promise<Generated> {
  const code = join(app, 'build', 'captured.o.hsaco');
  // Replaces the archive, which contains no code, by the output of the app's own command.
  const run: ProcessRunner = (file, args, options) => {
    starts(args);
    return args[0] === 'code-object'
      ? runProcess('cp', [code, args[args.indexOf('--output') + 1] ?? ''], options)
      : runProcess(file, args, options);
  };
  const { deps, reported } = recordingDeps({ run, env });
  const result = await generate({ app, kernel: 'k', compileLimitSeconds: 120 }, deps, { units });
  const recipe = JSON.parse(readFileSync(join(result.pristine, 'recipe.json'), 'utf8')) as Recipe;
  await adopt({ reproducer, reset: false }, deps);
  reported.length = 0;
  return { recipe, deps, said: reported, captured: readFileSync(code) };
}

const isSame = async (one: Buffer, other: Buffer): Promise<boolean> =>
  isSameKernelCode(symbol, await describeCode(one, defaultDeps()), await describeCode(other, defaultDeps()));

interface Built {
  code: Buffer;
  kernels: string[];
}

async function edited({ reproducer }: Fixture, text: string, deps: Deps): Promise<Built> {
  writeFileSync(join(reproducer, 'kernel_variant.hip'), text);
  const code = readFileSync(
    (await recompile({ reproducer, compileLimitSeconds: 120, lineInfo: false }, deps)).code_object,
  );
  const described = await describeCode(code, defaultDeps());
  return { code, kernels: (described?.kernels ?? []).map((kernel) => kernel.symbol).sort() };
}

/** Oracle: compiles the whole text without Kernloop. */
function wholeBuild({ workspace }: Fixture, text: string): Buffer {
  const folder = join(workspace, 'oracle');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'gpu.h'), gpu);
  writeFileSync(join(folder, 'unit.hip'), text);
  const device = ['-nogpulib', '-nogpuinc', '--offload-arch=gfx90a', '--cuda-device-only', '--no-gpu-bundle-output'];
  execFileSync(`${llvm}/clang++`, ['-O3', ...inlineAll.split(' '), ...device, '-c', 'unit.hip', '-o', 'unit.co'], {
    cwd: folder,
  });
  return readFileSync(join(folder, 'unit.co'));
}

const all = Array.from({ length: 9 }, (_, n) => `_Z2k${n}Pfi`);

describe('a unit that defines many kernels itself', () => {
  it('is optimised for the captured one alone, which keeps its instructions, and so do edits', async () => {
    const made = make();
    const { recipe, deps, said, captured } = await generated(made);
    expect(recipe.notes).toEqual(['of the 9 kernels of unit.hip, the captured one alone is optimised']);
    expect(recipe).toMatchObject({ one_entry: true, main: 'unit.hip', code_object: { same_machine_code: true } });
    const untouched = await edited(made, unitText(), deps);
    expect(untouched.kernels).toEqual([symbol]);
    expect(await isSame(captured, untouched.code)).toBe(true);
    // Edits of a called function, LDS, assembly, a template's default argument, variables that the app or the kernel
    // sets, and another kernel: each gives the same code as a whole build.
    const [seventh, first] = [plainBody(7), '__global__ void k0'];
    const edits: [string, string][] = [
      ['return x * 2; }', 'return x * 3 + __builtin_sqrtf(x); }'],
      [
        seventh,
        `static __shared__ float s[64]; s[AT & 63] = x[AT]; __builtin_amdgcn_s_barrier(); x[AT] = s[(AT + 1) & 63];`,
      ],
      [seventh, 'float t = x[AT]; asm volatile("v_add_f32 %0, %0, 1.0 ; at%=" : "+v"(t)); x[AT] = t;'],
      [
        `${first}(float* x, int n) { ${plainBody(0)} }`,
        'template <int N = 5> __device__ float by(float x) { return x * N; }',
      ],
      [
        first,
        `__attribute__((used)) __device__ int kept(int x) { return x * 3; }\n__global__ void more(int* x) { *x = kept(*x); }\n${first}`,
      ],
    ];
    for (const [from, to] of edits) {
      const text = unitText()
        .replace(from, to)
        .replace('twice(x[AT]) + 7', to.includes('by(') ? 'by(x[AT])' : 'twice(x[AT]) + 7');
      expect(text).not.toBe(unitText());
      const { code, kernels } = await edited(made, text, deps);
      expect([to, kernels]).toEqual([to, [symbol]]);
      expect([to, await isSame(wholeBuild(made, text), code)]).toEqual([to, true]);
    }
    expect(said.filter((line) => line.includes('all kernels'))).toEqual([]);
    // Errors of the front end in other kernels are still reported.
    const broken = failure(edited(made, unitText({ body: (n) => (n === 3 ? 'x = nothing;' : plainBody(n)) }), deps));
    expect((await broken).what).toContain("use of undeclared identifier 'nothing'");
  });

  it('is read by the front end once for all kernels that are extracted together, and again where it was edited', async () => {
    const made = make();
    const units = new CompiledUnits();
    const again = async (): Promise<{ frontEnds: number; recipe: Recipe }> => {
      let frontEnds = 0;
      const { recipe } = await generated(
        made,
        process.env,
        (args) => (frontEnds += Number(args.includes('-emit-llvm-bc'))),
        units,
      );
      return { frontEnds, recipe };
    };
    const first = await again();
    expect(first).toMatchObject({ frontEnds: 1, recipe: { one_entry: true } });
    expect(await again()).toEqual({ ...first, frontEnds: 0 });
    writeFileSync(join(made.app, 'gpu.h'), `${gpu}#define MORE 1\n`);
    expect(await again()).toMatchObject({ frontEnds: 1, recipe: { one_entry: true } });
  });

  it('links the device library as the whole unit does', async () => {
    const made = make({
      compiler: 'hipcc',
      hip: true,
      body: (n) => `if (AT < n) x[AT] = sinf(x[AT]) * powf(x[AT], ${n}.5f) + twice(x[AT]);`,
    });
    const { recipe, deps, captured } = await generated(made);
    expect(recipe).toMatchObject({ one_entry: true, code_object: { same_machine_code: true } });
    const { code, kernels } = await edited(made, readFileSync(join(made.app, 'unit.hip'), 'utf8'), deps);
    expect([kernels, await isSame(captured, code)]).toEqual([[symbol], true]);
  });

  it('starts the clang that hipcc starts, without hipcc from the second time on, and with the same code', async () => {
    const made = make({ compiler: 'hipcc', hip: true, body: (n) => `if (AT < n) x[AT] = sinf(x[AT]) + ${n};` });
    const { deps } = await generated(made);
    const text = readFileSync(join(made.app, 'unit.hip'), 'utf8').replace('+ 7', '+ 8');
    const env = { ...process.env, XDG_CACHE_HOME: join(made.workspace, 'cache') };
    const built = async (): Promise<{ started: string[]; code: Buffer }> => {
      const started: string[] = [];
      const run: ProcessRunner = (file, args, options) => {
        // A shell holds the lock of the folder.
        if (!['sh', 'kernloop-archive'].includes(basename(file))) started.push(basename(file));
        return deps.run(file, args, options);
      };
      const { code } = await edited(made, text, { ...deps, env, run });
      return { started, code };
    };
    const [first, second] = [await built(), await built()];
    expect(first.started).toEqual(['hipcc', 'hipcc', 'clang', 'llvm-extract', 'clang', 'lld']);
    expect(second.started).toEqual(['clang++-15', 'clang', 'llvm-extract', 'clang', 'lld']);
    expect(second.code.equals(first.code)).toBe(true);
  });

  it('keeps variables of the device under their names, and takes for granted no value that others set', async () => {
    const before = `${plainBefore}\n__device__ float table[4]; __device__ int count = 3; static __device__ const float roots[3] = {1, 2, 3};`;
    const made = make({ before, body: (n) => (n === 1 ? 'count += n; table[0] = roots[n];' : plainBody(n)) });
    const { recipe, deps, said } = await generated(made);
    expect(recipe.one_entry).toBe(true);
    const text = unitText({
      before: `${before}\n__device__ int added = 7;`,
      body: (n) =>
        n === 1 ? 'count += n; table[0] = roots[n];' : n === 7 ? 'x[AT] = count * added; table[1] = n;' : plainBody(n),
    });
    const { code, kernels } = await edited(made, text, deps);
    expect([kernels, said.filter((line) => line.includes('all kernels'))]).toEqual([[symbol], []]);
    writeFileSync(join(made.workspace, 'edited.co'), code);
    const symbols = tool('llvm-readelf', '--dyn-syms', join(made.workspace, 'edited.co'));
    for (const name of ['table', 'count', 'added'])
      expect(symbols).toMatch(new RegExp(`OBJECT +GLOBAL.* ${name}$`, 'm'));
    // Two loads and the store, which no visible code reads.
    const listing = tool('llvm-objdump', '-d', join(made.workspace, 'edited.co'));
    expect(listing.match(/s_getpc_b64/g)?.length).toBeGreaterThanOrEqual(2);
    expect(listing.match(/global_store_dword /g)).toHaveLength(2);
  });

  it('is compiled whole for an edit that uses what another kernel may have written', async () => {
    const made = make();
    const { deps, said } = await generated(made);
    const before = `${plainBefore}\nstatic __device__ int mode;`;
    const body = (n: number): string => (n === 2 ? 'mode = n;' : n === 7 ? 'x[AT] = mode;' : plainBody(n));
    const text = unitText({ before, body });
    const { code, kernels } = await edited(made, text, deps);
    expect(kernels).toEqual(all);
    expect(code).toEqual(wholeBuild(made, text));
    expect(said.join('\n')).toContain(
      'all kernels of unit.hip are compiled, which takes longer: it uses _ZL4mode, which other kernels of the unit may write',
    );
  });

  it('is compiled whole for an edit that calls what it finds by a pointer', async () => {
    const made = make();
    const { deps, said } = await generated(made);
    const before = `${plainBefore}\ntypedef float (*F)(float);\n__attribute__((noinline)) __device__ float half(float x) { return x / 2; }\n__device__ F chosen = half;`;
    const text = unitText({ before, body: (n) => (n === 7 ? 'x[AT] = chosen(x[AT]);' : plainBody(n)) });
    const { code, kernels } = await edited(made, text, deps);
    expect(kernels).toEqual(all);
    expect(code).toEqual(wholeBuild(made, text));
    expect(said.join('\n')).toContain('all kernels of unit.hip are compiled');
  });

  it('is compiled whole where the inliner goes by costs, as the last call of a function may be another in the unit', async () => {
    const { recipe } = await generated(make({ inlining: '' }));
    expect(recipe.one_entry).toBeUndefined();
    expect(recipe.notes).toEqual([
      'all 9 kernels of unit.hip are compiled: whether _Z5twicef is inlined depends on what else calls it',
    ]);
  });

  it('is compiled whole for an edit whose call stays, as what one caller always passes would be made a constant', async () => {
    const made = make();
    const { deps, said } = await generated(made);
    const before = `${plainBefore}\nstatic __attribute__((noinline)) __device__ float scaled(float x, int by) { return x * by + by % 7; }`;
    const body = (n: number): string => (n === 2 || n === 7 ? `x[AT] = scaled(x[AT], ${n});` : plainBody(n));
    const text = unitText({ before, body });
    const { code } = await edited(made, text, deps);
    expect(code).toEqual(wholeBuild(made, text));
    expect(said.join('\n')).toContain('whether _ZL6scaledfi is inlined depends on what else calls it');
  });

  it('is compiled whole where a captured variable would be missing', async () => {
    const before = `${plainBefore}\nstatic __device__ float history[4];`;
    const made = make({
      before,
      body: (n) => (n === 1 ? 'history[n] = x[0];' : n === 2 ? 'x[0] = history[n];' : plainBody(n)),
    });
    const { recipe } = await generated(made);
    expect(recipe.one_entry).toBeUndefined();
    expect(recipe.notes).toEqual([
      'all 9 kernels of unit.hip are compiled: compiled alone, it would have no variable _ZL7history',
    ]);
  });

  it('is compiled whole where the compiler comes without what takes a kernel out', async () => {
    const made = make();
    const beside = join(made.workspace, 'toolchain', 'bin');
    mkdirSync(beside, { recursive: true });
    // A compiler that starts programs of its own folder, which has no llvm-extract.
    for (const name of ['clang', 'lld']) execFileSync('cp', [`${llvm}/${name}`, join(beside, name)]);
    symlinkSync('/usr/lib/llvm-15/lib', join(made.workspace, 'toolchain', 'lib'));
    const driver = join(beside, 'clang++-15');
    writeFileSync(driver, `#!/bin/sh\nexec '${beside}/clang' --driver-mode=g++ "$@"\n`);
    chmodSync(driver, 0o755);
    const { recipe } = await generated(made, { ...process.env, KERNLOOP_COMPILER: driver });
    expect(recipe.one_entry).toBeUndefined();
    expect(recipe.notes.join()).toContain(`${beside}/llvm-extract is not installed`);
  });
});

function tool(name: string, ...args: string[]): string {
  return execFileSync(join(llvm, name), args, { encoding: 'utf8' });
}
