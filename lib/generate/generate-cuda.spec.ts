import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nativePathsIn } from '../native/native-paths';
import type { KernelJson } from '../reproducer/kernel-json';
import { sha256OfFile } from '../support/files';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps, type FakeProgram } from '../testing/fake-deps';
import type { Recipe } from '../toolchain/recipe';
import { FakeNvcc, twoUnitsCubin } from '../toolchain/testing/fake-nvcc';
import { generate } from './generate';
import type { GenerateResult } from './result';
import { write } from './testing/fixture';

/** Symbol of `static __global__ void alone(float* x, int n)` in a.cu (two-units.sh), compiled with -rdc=true. */
const symbol = '__nv_static_25__2c443d97_4_a_cu_43cf90c4__Z5alonePfi';
const otherDigest = 'f'.repeat(64);

let workspace: string;
let nvcc: FakeNvcc;
let deps: FakeDeps;
/** Path of the code that kernloop-archive finds in the capture. */
let capturedCode: string | null;
const app = (): string => join(workspace, 'apps', 'demo');

beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'kernloop cuda-'));
  nvcc = new FakeNvcc();
  capturedCode = twoUnitsCubin;
  write(join(workspace, 'nx.json'), '{}');
  write(join(workspace, 'cuda/bin/nvcc'), '#!/bin/sh\nexit 1\n');
  chmodSync(join(workspace, 'cuda/bin/nvcc'), 0o755);
  write(join(app(), 'src/a.cu'), '#include "../inc/kernels.cuh"\nvoid run();\n');
  write(
    join(app(), 'inc/kernels.cuh'),
    '#include "value.h"\nstatic __global__ void alone(float* x, const int n) { x[n] = VALUE; }\n',
  );
  write(join(app(), 'inc/value.h'), '#define VALUE 1\n');
  write(
    join(app(), 'kernloop.json'),
    JSON.stringify({
      ...{ name: 'demo', device: 'cuda', command: ['build/demo'], compileCommands: 'build/compile_commands.json' },
      kernels: [{ name: 'k', match: 'alone' }],
    }),
  );
  const fakeArchive: FakeProgram = (call) => {
    const { args } = call;
    if (capturedCode === null) return 2;
    copyFileSync(capturedCode, args[args.indexOf('--output') + 1] ?? '');
    return 0;
  };
  deps = fakeDeps({ nvcc: nvcc.program, 'kernloop-archive': fakeArchive }, nativePathsIn('/nowhere'), {
    env: { PATH: join(workspace, 'cuda', 'bin') },
  });
});
afterEach(() => rmSync(workspace, { recursive: true }));

function builtWith(command: string): void {
  const entry = {
    directory: join(app(), 'build'),
    file: join(app(), 'src/a.cu'),
    command: command.replace('{app}', app()),
  };
  write(join(app(), 'build/compile_commands.json'), JSON.stringify([entry]));
}

function captured(sha256: string, isa = 'sm_90'): void {
  const kernel = { name: 'alone(float*, int)', symbol, code_object: sha256 };
  const slots = [
    { offset: 0, size: 8, kind: 'by_value', value: '0x7f0000000000', region: 'r0' },
    { offset: 8, size: 4, kind: 'by_value', value: '0x1' },
  ];
  write(
    join(workspace, 'kernels/demo/k/capture/capture.json'),
    JSON.stringify({
      ...{ schema: 'kernloop.capture/1', app: { name: 'demo' }, device: { kind: 'cuda', identity: 'x', isa }, kernel },
      ...{ dispatch: { ordinal: 1, index: 3 }, geometry: { grid_blocks: [4, 1, 1], block_threads: [256, 1, 1] } },
      ...{ kernarg: { hex: '', slots }, scope: { mode: 'reachable', tracked_regions: 1, tracked_bytes: 4096 } },
      regions: [{ id: 'r0', base: '0x7f0000000000', size: 4096, pre: { chunks: [null] }, post: { chunks: [null] } }],
      code_objects: [{ sha256, content: { chunks: [null] } }],
    }),
  );
}

interface Generated extends GenerateResult {
  recipe: Recipe;
  project: KernelJson;
  read: (path: string) => string;
}

async function generated(): Promise<Generated> {
  const result = await generate({ app: app(), kernel: 'k', compileLimitSeconds: 10 }, deps);
  const read = (path: string): string => readFileSync(join(result.pristine, path), 'utf8');
  return {
    ...result,
    recipe: JSON.parse(read('recipe.json')) as Recipe,
    project: JSON.parse(read('kernel.json')) as KernelJson,
    read,
  };
}

const cmake =
  'nvcc -forward-unknown-to-host-compiler -DX=\\"a\\" -I"{app}/inc" -O3 -fopenmp --generate-code=arch=compute_90,code=[compute_90,sm_90] -rdc=true -MD -MF a.d -x cu -c ../src/a.cu -o a.o';

describe('generate for cuda', () => {
  it('writes a project that recompiles to the captured cubin', async () => {
    builtWith(cmake);
    captured(sha256OfFile(twoUnitsCubin));
    const { recipe, project, read, ...result } = await generated();
    expect(result).toMatchObject({ language: 'cuda', identical: true, source: 'apps/demo/inc/kernels.cuh', notes: [] });
    expect([...result.files].sort()).toEqual(
      [
        ...[
          'Makefile',
          'README.md',
          'kernel.json',
          'kernel_variant.cuh',
          'overlay.template.json',
          'reads.json',
          'recipe.json',
        ],
        ...['deps/inc/kernels.cuh', 'deps/inc/value.h', 'deps/src/a.cu'],
      ].sort(),
    );
    expect(recipe).toMatchObject({
      ...{ language: 'cuda', target: 'sm_90', virtual_target: 'compute_90', main: 'src/a.cu' },
      compiler: { name: 'nvcc', version: 'Cuda compilation tools, release 13.0, V13.0.88' },
      module_id: '_2c443d97_4_a_cu_43cf90c4',
      arguments: ['-DX="a"', '-I{deps}/inc', '-O3', '-rdc=true', '-Xcompiler=-fopenmp', '-x', 'cu'],
    });
    expect(project.args).toMatchObject([
      { name: 'x', type: 'float*', role: 'inout', element: 'f32', offset: 0 },
      { name: 'n', type: 'int', role: 'in', element: null, offset: 8 },
    ]);
    expect(read('Makefile')).toContain('compile kernel_variant.cuh if it was edited');
    for (const file of result.files) expect(read(file)).not.toContain(workspace);
  });

  it('compares instructions where the file differs', async () => {
    builtWith(cmake);
    captured(otherDigest);
    const { recipe, read, ...result } = await generated();
    expect(result).toMatchObject({ identical: false, same_machine_code: true });
    expect(recipe.code_object).toMatchObject({ captured: otherDigest, same_machine_code: true });
    expect(read('README.md')).toContain('instruction for instruction');
    expect(deps.said.warn).toEqual([]);
  });

  it('takes the target from the captured code, which the device alone does not tell', async () => {
    builtWith(cmake.replace('arch=compute_90,code=[compute_90,sm_90]', 'arch=compute_90,code=sm_90'));
    captured(otherDigest, 'sm_103');
    expect((await generated()).recipe.target).toBe('sm_90');
  });

  it('says so where the captured code cannot be read', async () => {
    builtWith(cmake);
    captured(otherDigest);
    capturedCode = null;
    expect(await generated()).toMatchObject({ identical: false, same_machine_code: false });
    expect(deps.said.warn.join('\n')).toMatch(/could not be read[^]*not the captured code object/);
  });

  it('falls back to what nvcc does for the captured target where there is no compile database', async () => {
    captured(sha256OfFile(twoUnitsCubin));
    const { recipe, notes } = await generated();
    expect(recipe).toMatchObject({ target: 'sm_90', virtual_target: 'compute_90', arguments: ['-x', 'cu'] });
    expect(deps.said.warn).toEqual([]);
    expect(notes).toEqual([
      'there was no compile database (`compileCommands` of kernloop.json): compiled with the defaults of nvcc',
    ]);
  });

  it("takes nvcc's own default where the build names no architecture", async () => {
    builtWith(cmake.replace(/--generate-code=\S+/, ''));
    captured(sha256OfFile(twoUnitsCubin));
    const { recipe, notes } = await generated();
    expect(recipe).toMatchObject({ target: 'sm_90', virtual_target: 'compute_75' });
    expect(notes.join()).toContain('PTX for compute_75 only, which the driver compiled for sm_90');
  });

  it('says what it leaves out', async () => {
    builtWith(cmake.replace('-O3', '-O3 -dlto').replace('code=[compute_90,sm_90]', 'code=compute_90'));
    captured(sha256OfFile(twoUnitsCubin));
    const { notes } = await generated();
    expect(notes.join('\n')).toContain('-dlto left out');
    expect(notes.join('\n')).toContain('which the driver compiled for sm_90');
  });

  it('refuses a kernel that needs device code of other units', async () => {
    builtWith(cmake);
    captured(sha256OfFile(twoUnitsCubin));
    nvcc.failures['-dlink'] = "nvlink error   : Undefined reference to '_Z5otherf' in 'x.o'\n";
    const error = await failure(generated());
    expect(error).toMatchObject({ code: 'RDC_UNSUPPORTED' });
    expect(error.what).toContain('_Z5otherf');
  });

  it('compiles host code for no device', async () => {
    builtWith(cmake.replace('-x cu', '-x c++'));
    captured(sha256OfFile(twoUnitsCubin));
    expect(await generate({ app: app(), kernel: 'k', compileLimitSeconds: 10 }, deps)).toMatchObject({
      language: 'none',
    });
    expect(nvcc.steps).toEqual([]);
  });
});
