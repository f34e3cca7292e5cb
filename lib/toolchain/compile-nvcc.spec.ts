import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { nativePathsIn } from '../native/native-paths';
import { failure } from '../testing/failure';
import { fakeDeps } from '../testing/fake-deps';
import { compileReproducer } from './compile';
import type { CompileRequest } from './compile-request';
import { overlayTemplate } from './overlay';
import { FakeNvcc, twoUnitsCubin } from './testing/fake-nvcc';

const captured = '_dc4cb072_4_k_cu_4e539ff5';
const here = '_2c443d97_4_k_cu_43cf90c4';

let root: string;
let nvcc: FakeNvcc;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kernloop recompile-'));
  nvcc = new FakeNvcc();
  file('kernel_variant.cuh', '#include "detail/value.h"\n#include "mine.h"\n// the variant\n');
  file('mine.h', '');
  file('deps/src/k.cu', '#include "../inc/scale.cuh"\n');
  file('deps/inc/scale.cuh', '// ../../kernel_variant.cuh is compiled in the place of this file.\n');
  file('deps/inc/detail/value.h', '#define VALUE 3\n');
});
afterEach(() => rmSync(root, { recursive: true }));

function file(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function request(args: string[], more: Partial<CompileRequest['recipe']> = {}): CompileRequest {
  const recipe: CompileRequest['recipe'] = {
    ...{ schema: 'kernloop.recipe/1', language: 'cuda', symbol: '_Z5alonePfi', environment: {}, target: 'sm_90' },
    ...{ compiler: { name: 'nvcc', version: '13.0' }, arguments: [...args, '-x', 'cu'], main: 'src/k.cu' },
    ...{
      variant: { file: 'kernel_variant.cuh', stands_for: 'inc/scale.cuh' },
      signature: null,
      aliases: {},
      notes: [],
    },
    ...more,
  };
  return {
    ...{
      reproducer: root,
      recipe,
      overlay: overlayTemplate(recipe),
      compiler: { path: '/cuda/bin/nvcc', version: '13.0' },
    },
    ...{ output: join(root, 'variant.cubin'), signature: null, limitSeconds: 10 },
  };
}

const symbolOfTwoUnits = '__nv_static_25__2c443d97_4_a_cu_43cf90c4__Z5alonePfi';
const compilable = (args: string[], more: Partial<CompileRequest['recipe']> = {}) =>
  request(args, { symbol: symbolOfTwoUnits, ...more });
const depsOf = () => fakeDeps({ nvcc: nvcc.program }, nativePathsIn('/nowhere'));
const compile = (wanted: CompileRequest) => compileReproducer(wanted, depsOf());

describe('compileReproducer with nvcc', () => {
  it('compiles the variant in the place of its file, and says what went in by the names the user knows', async () => {
    const result = await compile(compilable(['-I{deps}/inc', '-O3']));
    expect(nvcc.steps[0]?.input).toContain('// the variant');
    expect(Object.keys(result.sources)).toEqual(['deps/inc/detail/value.h', 'deps/src/k.cu', 'kernel_variant.cuh']);
    expect(result.outside).toEqual([]);
    expect(readFileSync(join(root, 'variant.cubin'))).toEqual(readFileSync(twoUnitsCubin));
  });

  it('gives nvcc no path of the machine, and leaves nothing behind', async () => {
    await compile(compilable(['-I{deps}/inc', '-O3']));
    const [front, assembler] = nvcc.steps;
    expect(front?.args.join(' ')).not.toContain(root);
    expect(front?.args).toEqual([
      ...[
        '-Ideps/inc',
        '-O3',
        '-x=cu',
        '-Xptxas=-w',
        '-Xcompiler=-iquote,.',
        '-Xcompiler=-MD,-MF,.kernloop.d,-MT,variant',
      ],
      ...['-gencode=arch=compute_90,code=sm_90', '-ptx', '-o', '.kernloop.ptx', 'deps/src/k.cu'],
    ]);
    expect(assembler?.args.slice(0, 3)).toEqual(['-gencode=arch=compute_90,code=sm_90', '-O3', '-cubin']);
    expect(existsSync(front?.cwd ?? '')).toBe(false);
    expect(readdirSync(root).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('keeps its temporary files in the folder that it is given, all steps in one of their own', async () => {
    mkdirSync(join(root, 'scratch'));
    await compile({ ...compilable(['-O3']), scratch: join(root, 'scratch') });
    const folders = [...new Set(nvcc.steps.map(({ cwd }) => cwd))];
    expect(folders.map(dirname)).toEqual([realpathSync(join(root, 'scratch'))]);
    expect(readdirSync(join(root, 'scratch'))).toEqual([]);
  });

  it('takes no options from the environment, which each step would add', async () => {
    await compile(compilable([]));
    for (const { env } of nvcc.steps)
      expect(env).toMatchObject({ NVCC_APPEND_FLAGS: undefined, NVCC_PREPEND_FLAGS: undefined });
  });

  it('gives names the module id of the captured code before they are assembled', async () => {
    nvcc.ptx = `.entry _ZN36_GLOBAL__N_${here}5scaleEPf()\n`;
    await compile(compilable([], { module_id: captured }));
    expect(nvcc.steps[1]?.input).toBe(`.entry _ZN36_GLOBAL__N_${captured}5scaleEPf()\n`);
  });

  it('assembles what the PTX is made into, under the names of the captured code', async () => {
    nvcc.ptx = nvcc.ptx.replaceAll('_Z5alonePfi', `_Z5alone${here}Pfi`);
    const seen: string[] = [];
    const mapPtx = (ptx: string): string => `// probed\n${(seen.push(ptx), ptx)}`;
    await compile({ ...compilable(['-maxrregcount=32'], { module_id: captured.slice(1) }), mapPtx });
    expect(nvcc.steps.at(-1)).toMatchObject({
      args: expect.arrayContaining(['-cubin', '-maxrregcount=32']) as string[],
    });
    expect(nvcc.steps.at(-1)?.input).toMatch(/^\/\/ probed\n/);
    expect(seen).toHaveLength(1);
  });

  it('keeps the PTX if asked to, and makes the same of it without the front end', async () => {
    const keepPtx = join(root, 'variant.ptx');
    nvcc.ptx = `.entry _ZN36_GLOBAL__N_${here}5scaleEPf()\n`;
    const wanted = compilable(['-maxrregcount=32'], { module_id: captured });
    await compile({ ...wanted, keepPtx });
    const keptPtx = readFileSync(keepPtx, 'utf8');
    expect(keptPtx).toBe(`.entry _ZN36_GLOBAL__N_${captured}5scaleEPf()\n`);
    await compile({ ...wanted, keptPtx });
    const [, assembler, again, ...more] = nvcc.steps;
    expect([again?.args, again?.input, more]).toEqual([assembler?.args, keptPtx, []]);
  });

  it('puts no folder of this machine into line information', async () => {
    nvcc.ptx = '.file 1 "TREE/deps/inc/scale.cuh"\n.file 2 "/usr/include/x.h"\n';
    const program = nvcc.program;
    const deps = fakeDeps(
      {
        nvcc: (call) => {
          nvcc.ptx = nvcc.ptx.replace('TREE', call.options.cwd ?? '');
          return program(call);
        },
      },
      nativePathsIn('/nowhere'),
    );
    await compileReproducer(compilable(['-lineinfo']), deps);
    expect(nvcc.steps[1]?.input).toBe('.file 1 "/kernloop/kernel_variant.cuh"\n.file 2 "/usr/include/x.h"\n');
  });

  it('leaves options of the assembler to it', async () => {
    await compile(compilable(['-Xptxas=-v', '-Xptxas=-O2']));
    expect(nvcc.steps.map(({ args }) => args.filter((arg) => arg.startsWith('-Xptxas')))).toEqual([
      ['-Xptxas=-w'],
      ['-Xptxas=-v', '-Xptxas=-O2'],
    ]);
  });

  it('compiles for an older virtual architecture where the app did', async () => {
    await compile(compilable([], { virtual_target: 'compute_80' }));
    for (const { args } of nvcc.steps) expect(args).toContain('-gencode=arch=compute_80,code=sm_90');
  });

  it('links relocatable code', async () => {
    await compile(compilable(['-rdc=true', '-maxrregcount=32', '-DX']));
    expect(
      nvcc.steps.map(({ args }) => args.filter((arg) => /^-(ptx|cubin|dlink|rdc=true|maxrregcount=32|DX)$/.test(arg))),
    ).toEqual([
      ['-rdc=true', '-maxrregcount=32', '-DX', '-ptx'],
      ['-rdc=true', '-maxrregcount=32', '-cubin'],
      ['-dlink', '-cubin'],
    ]);
  });

  it('assembles the captured kernel alone where that was proven, and compiles all of the unit', async () => {
    await compile(compilable(['-O3'], { one_entry: true }));
    expect(nvcc.steps.map(({ args }) => args.filter((arg) => arg.startsWith('--entries')))).toEqual([
      [],
      [`--entries=${symbolOfTwoUnits}`],
    ]);
  });

  it('refuses code that needs device functions of other units, and names them', async () => {
    nvcc.failures['-dlink'] = ['_Z5otherf', 'tab', '_Z5otherf']
      .map((name) => `nvlink error   : Undefined reference to '${name}' in 'x.o'\n`)
      .join('');
    const error = await failure(compile(compilable(['-rdc=true'])));
    expect(error).toMatchObject({ code: 'RDC_UNSUPPORTED', exitCode: 2 });
    expect(error.what).toContain('_Z5otherf, tab are defined there');
  });

  it.each([
    [
      '-ptx',
      'deps/inc/scale.cuh(17): error: identifier "z" is undefined\n',
      'kernel_variant.cuh(17): error: identifier',
    ],
    ['-ptx', 'deps/inc/scale.cuh:3:10: fatal error: x.h: No such file\n', 'kernel_variant.cuh:3:10: fatal error'],
    ['-cubin', "ptxas .kernloop.ptx, line 28; error   : Unknown modifier '.bar'\n", 'Unknown modifier'],
    ['-cubin', 'nvcc fatal   : Unsupported gpu architecture\n', 'Unsupported gpu architecture'],
  ] as const)('passes on what %s says: %s', async (step, said, expected) => {
    nvcc.failures[step] = `warning before\n${said}`;
    const deps = depsOf();
    const error = await failure(compileReproducer(compilable([]), deps));
    expect(error).toMatchObject({ code: 'COMPILE_FAILED', exitCode: 1 });
    expect(error.what).toContain(expected);
    expect(deps.said.output.join('')).not.toContain('deps/inc/scale.cuh');
    expect(existsSync(join(root, 'variant.cubin'))).toBe(false);
  });

  it('refuses code without the captured kernel, and another signature of it', async () => {
    const missing = await failure(compile(request([])));
    expect(missing).toMatchObject({ code: 'SYMBOL_MISSING' });
    expect(missing.what).toContain(symbolOfTwoUnits);
    const places = [{ offset: 0, size: 8 }];
    const changed = await failure(compile({ ...compilable([]), signature: places }));
    expect(changed.what).toContain('takes 8 bytes at 0, 4 bytes at 8, but the captured dispatch passed 8 bytes at 0');
  });

  it('says so where the host compiler of the app is missing', async () => {
    const deps = depsOf();
    await compileReproducer(compilable([], { host_compiler: 'g++-99' }), deps);
    expect(deps.said.warn.join()).toContain('g++-99 is not installed');
    expect(nvcc.steps[0]?.args.join(' ')).not.toContain('ccbin');
  });
});
