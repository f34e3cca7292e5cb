import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KernelJson } from '../reproducer/kernel-json';
import { sha256 } from '../support/files';
import { bareHip, hipHeader } from '../testing/bare-hip';
import { failure } from '../testing/failure';
import { CompiledUnits } from '../toolchain/compiled-units';
import type { Recipe } from '../toolchain/recipe';
import { generate } from './generate';
import type { GenerateResult } from './result';
import type { GenerateOptions } from './options';
import type { Deps } from '../deps/deps';
import { runProcess } from '../support/exec';
import { fixture, filesBelow, recordingDeps, write, type Fixture, type FixtureOptions } from './testing/fixture';

jest.setTimeout(120_000);

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function make(options: FixtureOptions): Fixture {
  const made = fixture(options);
  folders.push(made.workspace);
  return made;
}

interface Generated extends GenerateResult {
  recipe: Recipe;
  project: KernelJson;
  said: string;
  read: (path: string) => string;
}

async function generateIn(
  { app }: Fixture,
  options: Partial<GenerateOptions> = {},
  others: Partial<Deps> = {},
): Promise<Generated> {
  const { deps, reported } = recordingDeps(others);
  const result = await generate({ app, kernel: 'k', compileLimitSeconds: 120, ...options }, deps);
  const read = (path: string): string => readFileSync(join(result.pristine, path), 'utf8');
  const json = (path: string): unknown => (result.files.includes(path) ? JSON.parse(read(path)) : null);
  return {
    ...result,
    recipe: json('recipe.json') as Recipe,
    project: json('kernel.json') as KernelJson,
    said: reported.join('\n'),
    read,
  };
}

const hip = `${bareHip.header}\n`;
const scale = '__global__ void scale(float* __restrict__ x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= SCALE; }\n';
const ofScale = { symbol: '_Z5scalePfi', name: 'scale(float*, int)' };
const arch = `-O3 ${bareHip.options.join(' ')} --offload-arch=gfx90a`;
const withHeader = '-O3 --offload-arch=gfx90a';

const appOfScale = (header: string, options: string): FixtureOptions => ({
  sources: {
    'src/k.hip': `${header}\n#include <stdint.h>\n#include "../inc/scale.h"\n${scale}`,
    'inc/scale.h': '#include "sub/value.h"\n#define SCALE VALUE * FACTOR\n',
    'inc/sub/value.h': '#pragma once\n#define VALUE 3.0f\n',
  },
  commands: { 'src/k.hip': `-DFACTOR=2.0f -I{app}/inc -O3 ${options} --offload-arch=gfx1030 --offload-arch=gfx90a` },
  captured: 'src/k.hip',
  ...ofScale,
});
const scaleApp = appOfScale(bareHip.header, bareHip.options.join(' '));
const scaleAppWithHeader = appOfScale(hipHeader, '');

describe('generate', () => {
  it('writes a project that compiles to the captured code object', async () => {
    const generated = await generateIn(make({ ...scaleAppWithHeader, bundled: true }));
    expect(generated).toMatchObject({ language: 'hip', identical: true, source: 'apps/demo/src/k.hip', notes: [] });
    expect(filesBelow(generated.pristine)).toEqual(generated.files);
    expect([...generated.files].sort()).toEqual(
      [
        ...[
          'Makefile',
          'README.md',
          'kernel.json',
          'kernel_variant.hip',
          'overlay.template.json',
          'reads.json',
          'recipe.json',
        ],
        ...['deps/inc/scale.h', 'deps/inc/sub/value.h', 'deps/src/k.hip'],
      ].sort(),
    );
    expect(generated.read('kernel_variant.hip')).toBe(scaleAppWithHeader.sources['src/k.hip']);
  });

  it('writes the same bytes wherever the workspace lies, and no path of it', async () => {
    const [one, other] = [make(scaleApp), make(scaleApp)];
    const [first, second] = [await generateIn(one), await generateIn(other)];
    for (const path of first.files) {
      expect(second.read(path)).toBe(first.read(path));
      expect(first.read(path)).not.toContain(one.workspace);
    }
  });

  it('compiles a unit once for all kernels that are extracted together, and again where it was edited', async () => {
    const made = make(scaleApp);
    const units = new CompiledUnits();
    const { deps } = recordingDeps();
    const generated = async (): Promise<{ compilations: number; identical: boolean | null; recipe: string }> => {
      let compilations = 0;
      const run: typeof deps.run = (file, args, options) => {
        compilations += args.includes('-c') ? 1 : 0;
        return deps.run(file, args, options);
      };
      const { identical, pristine } = await generate(
        { app: made.app, kernel: 'k', compileLimitSeconds: 120 },
        { ...deps, run },
        { units },
      );
      return { compilations, identical, recipe: readFileSync(join(pristine, 'recipe.json'), 'utf8') };
    };
    const first = await generated();
    expect(first).toMatchObject({ compilations: 1, identical: true });
    expect(await generated()).toEqual({ ...first, compilations: 0 });
    write(join(made.app, 'inc/sub/value.h'), '#pragma once\n#define VALUE 4.0f\n');
    expect(await generated()).toMatchObject({ compilations: 1, identical: false });
  });

  it('leaves reads.json as another machine wrote it, and replaces what is of another source, or of another version', async () => {
    const made = make(scaleApp);
    const { pristine, read } = await generateIn(made);
    const own = read('reads.json');
    const path = join(pristine, 'reads.json');
    const elsewhere = own
      .replace(/("conditions_sha256": ")\w{8}/, '$100000000')
      .replace(/("\/[^"]*stdint.h": ")\w{8}/, '$100000000');
    expect(elsewhere).not.toBe(own);
    write(path, elsewhere);
    expect((await generateIn(made)).read('reads.json')).toBe(elsewhere);
    for (const changed of [
      own.replace(/("version": ")/, '$10'),
      own.replace(/("recipe_sha256": ")\w{8}/, '$100000000'),
      '{}',
    ]) {
      expect(changed).not.toBe(own);
      write(path, changed);
      expect((await generateIn(made)).read('reads.json')).toBe(own);
    }
    write(path, elsewhere);
    write(join(made.app, 'src', 'k.hip'), `${scaleApp.sources['src/k.hip'] ?? ''}// edited\n`);
    const edited = JSON.parse((await generateIn(made)).read('reads.json')) as object;
    expect(edited).toMatchObject({
      conditions_sha256: (JSON.parse(own) as { conditions_sha256: string }).conditions_sha256,
    });
  });

  it('leaves nothing but pristine/ behind and touches nothing beside it', async () => {
    const made = make(scaleApp);
    write(join(made.reproducer, 'kernel_variant.hip'), 'mine');
    const stale = { origin: 'apps/demo/stale.h', sha256: sha256('from an earlier source') };
    const recipe = { files: { 'deps/stale.h': stale }, variant: { stands_for: 'scale.hip' } };
    write(join(made.reproducer, 'pristine', 'recipe.json'), JSON.stringify(recipe));
    write(join(made.reproducer, 'pristine', 'deps', 'stale.h'), 'from an earlier source');
    write(join(made.reproducer, 'pristine', 'deps', 'scale.hip'), 'stand-in');
    write(join(made.reproducer, `pristine.partial-${hostname()}-999999999`, 'k.hip'), 'from a killed run');
    const generated = await generateIn(made);
    expect(readdirSync(made.reproducer).sort()).toEqual(['capture', 'kernel_variant.hip', 'pristine']);
    expect(readFileSync(join(made.reproducer, 'kernel_variant.hip'), 'utf8')).toBe('mine');
    expect(filesBelow(generated.pristine)).not.toContain('deps/stale.h');
  });

  it('refuses to replace a pristine/ with a file of the user in it, and replaces one that is its own', async () => {
    const made = make(scaleApp);
    await generateIn(made);
    await generateIn(made);
    const notes = join(made.reproducer, 'pristine', 'deps', 'notes.txt');
    write(notes, 'mine');
    const error = await failure(generateIn(made));
    expect([error.code, error.what]).toEqual(['FILE_FOREIGN', expect.stringContaining(notes)]);
    expect(readFileSync(notes, 'utf8')).toBe('mine');
  });

  it('makes the header the variant where the kernel is in a header', async () => {
    const generated = await generateIn(
      make({
        sources: { 'main.hip': `${hip}#define SCALE 2.0f\n#include "kernels/scale.cuh"\n`, 'kernels/scale.cuh': scale },
        commands: { 'main.hip': arch },
        captured: 'main.hip',
        ...ofScale,
      }),
    );
    expect(generated).toMatchObject({ identical: true, source: 'apps/demo/kernels/scale.cuh' });
    expect(generated.recipe).toMatchObject({
      main: 'main.hip',
      variant: { file: 'kernel_variant.cuh', stands_for: 'kernels/scale.cuh' },
    });
    expect(generated.read('deps/main.hip')).toContain('#define SCALE');
    expect(generated.project.source).toMatchObject({ line: 1, translation_unit: 'apps/demo/main.hip' });
  });

  it('finds a template instance and gives its arguments the types of that instance', async () => {
    const generated = await generateIn(
      make({
        sources: {
          'main.hip': `${hip}namespace a { namespace {
template <typename T> using Ptr = const T*;
template <typename T, int N> __global__ void __launch_bounds__(256) axpy(T alpha, Ptr<T> x, T* y, unsigned char flag) {
  if (flag) y[threadIdx.x] += alpha * x[threadIdx.x] * T(N); } } }
void run(double* p, float* q) { a::axpy<double, 3><<<1, 64>>>(1.0, p, p, 1); a::axpy<float, 3><<<1, 64>>>(1.0f, q, q, 1); }`,
        },
        commands: { 'main.hip': arch },
        captured: 'main.hip',
        symbol: '_ZN1a12_GLOBAL__N_14axpyIdLi3EEEvT_PKS2_PS2_h',
        name: 'void a::(anonymous namespace)::axpy<double, 3>(double, double const*, double*, unsigned char)',
        slots: [
          { offset: 0, size: 8, kind: 'by_value' },
          { offset: 8, size: 8, kind: 'global_buffer', value: '0x400000001000', region: 'r0' },
          { offset: 16, size: 8, kind: 'global_buffer' },
          { offset: 24, size: 1, kind: 'by_value' },
          { offset: 32, size: 8, kind: 'hidden_global_offset_x' },
        ],
      }),
    );
    expect(generated.identical).toBe(true);
    expect(generated.project.args).toEqual([
      expect.objectContaining({ name: 'alpha', type: 'double', declared: 'T', role: 'in', element: null }),
      expect.objectContaining({ name: 'x', type: 'double const*', declared: 'Ptr<T>', role: 'in', element: 'f64' }),
      expect.objectContaining({
        name: 'y',
        type: 'double*',
        declared: 'T*',
        role: 'inout',
        element: 'f64',
        offset: 16,
      }),
      expect.objectContaining({ name: 'flag', type: 'unsigned char', role: 'in', size: 1 }),
    ]);
    expect(generated.read('README.md')).toContain(
      '| `x` | `double const*` | in | 8 | 8 | `0x400000001000` | r0, 4.0 KiB |',
    );
  });

  it('tells two static kernels of one name apart by the code they compile to', async () => {
    const twin = (factor: string) => `${hip}static __global__ void scale(float* x) { x[threadIdx.x] *= ${factor}; }
void run_${factor.replace('.', '_')}(float* p) { scale<<<1, 1>>>(p); }`;
    const generated = await generateIn(
      make({
        sources: { 'a.hip': twin('2.0'), 'b.hip': twin('5.0') },
        commands: { 'a.hip': arch, 'b.hip': arch },
        captured: 'b.hip',
        symbol: '_ZL5scalePf',
        name: 'scale(float*)',
      }),
    );
    expect(generated).toMatchObject({ identical: true, source: 'apps/demo/b.hip' });
    expect(generated.read('kernel_variant.hip')).toContain('5.0');
  });

  it('takes the unit that it is told to', async () => {
    const made = make({
      sources: { 'a.hip': `${hip}#define SCALE 2\n${scale}`, 'b.hip': `${hip}#define SCALE 3\n${scale}` },
      commands: { 'a.hip': arch, 'b.hip': arch },
      captured: 'a.hip',
      ...ofScale,
    });
    expect(await generateIn(made, { translationUnit: 'b.hip' })).toMatchObject({
      identical: false,
      source: 'apps/demo/b.hip',
    });
    const error = await failure(generateIn(made, { translationUnit: 'c.hip' }));
    expect(error).toMatchObject({ code: 'SOURCE_NOT_FOUND' });
    expect(error.hint).toContain('a.hip');
  });

  describe('of two files with the same text', () => {
    const text = `${hipHeader}\n#define SCALE 2\n${scale}`;
    /** A build without a database that captured one of them, with options that nobody knows afterwards. */
    function captured(by: string, options: string): Fixture {
      const sources = { 'a.cpp': text, 'demo.cpp': text, 'z.cpp': text };
      const commands = { [by]: `--offload-arch=gfx90a ${options}` };
      const made = make({ sources, commands, captured: by, ...ofScale });
      rmSync(join(made.app, 'build', 'compile_commands.json'));
      return made;
    }

    it('takes that which is called as the program', async () => {
      const made = captured('demo.cpp', '');
      expect(await generateIn(made)).toMatchObject({ identical: true, source: 'apps/demo/demo.cpp' });
    });

    /** The archive, which contains no code, gives the output of the app's own command. */
    const withCode = ({ app }: Fixture): Partial<Deps> => ({
      run: (file, args, options) =>
        args[0] === 'code-object'
          ? runProcess(
              'cp',
              [join(app, 'build', 'captured.o.hsaco'), args[args.indexOf('--output') + 1] ?? ''],
              options,
            )
          : runProcess(file, args, options),
    });

    it.each([
      ['demo.cpp', '-Qn', 'demo.cpp is taken for the source, and a.cpp, z.cpp gives the same machine code'],
      ['z.cpp', '-gline-tables-only', 'z.cpp is taken for the source, and a.cpp, demo.cpp gives the same machine code'],
    ])(
      'takes %s by name, or by the debug information, where all give the same code, and says it',
      async (by, options, text) => {
        const made = captured(by, options);
        const { source, said } = await generateIn(made, {}, withCode(made));
        expect(source).toBe(`apps/demo/${by}`);
        expect(said).toContain(text);
      },
    );
  });

  it('does not choose between two files that define the kernel and both differ from the captured code', async () => {
    const made = make({
      sources: { 'a.hip': `${hip}#define SCALE 2\n${scale}`, 'b.hip': `${hip}#define SCALE 3\n${scale}` },
      commands: { 'a.hip': arch, 'b.hip': arch },
      captured: 'a.hip',
      ...ofScale,
    });
    write(join(made.app, 'a.hip'), `${hip}#define SCALE 4\n${scale}`);
    const error = await failure(generateIn(made));
    expect(error).toMatchObject({ code: 'SOURCE_AMBIGUOUS' });
    expect(error.what).toContain('a.hip:3, b.hip:3');
    expect(error.hint).toContain('--translation-unit');
    expect(await generateIn(made, { translationUnit: 'a.hip' })).toMatchObject({ source: 'apps/demo/a.hip' });
  });

  it('takes a header that several units include for one source, though it was edited', async () => {
    const made = make({
      sources: {
        'a.hip': `${hip}#define SCALE 2\n#include "scale.h"\n`,
        'b.hip': `${hip}#define SCALE 3\n#include "scale.h"\n`,
        'scale.h': scale,
      },
      commands: { 'a.hip': arch, 'b.hip': arch },
      captured: 'b.hip',
      ...ofScale,
    });
    expect(await generateIn(made)).toMatchObject({
      identical: true,
      project: { source: { translation_unit: 'apps/demo/b.hip' } },
    });
    write(join(made.app, 'scale.h'), scale.replace('SCALE', 'SCALE + 9'));
    expect(await generateIn(made)).toMatchObject({ identical: false, source: 'apps/demo/scale.h' });
  });

  it('defines macros that the compile database lacks, after those that it has', async () => {
    const made = make({
      sources: { 'k.hip': `${hip}${scale}` },
      commands: { 'k.hip': `-DSCALE=OTHER -DOTHER=7.0f ${arch}` },
      captured: 'k.hip',
      ...ofScale,
    });
    write(
      join(made.app, 'build/compile_commands.json'),
      readFileSync(join(made.app, 'build/compile_commands.json'), 'utf8').replace('-DOTHER=7.0f', '-DOTHER=1.0f'),
    );
    expect(await generateIn(made)).toMatchObject({ identical: false });
    const generated = await generateIn(made, { define: ['OTHER=7.0f'] });
    expect(generated.identical).toBe(true);
    expect(generated.recipe.arguments).toContain('-DOTHER=7.0f');
  });

  it('searches no C++ for a Triton kernel, unless told that it is HIP', async () => {
    const name = 'triton_poi_fused_add_0';
    const made = make({
      sources: { 'k.hip': `${hip}extern "C" __global__ void ${name}(float* x) { x[0] += 1; }\n` },
      commands: { 'k.hip': arch },
      captured: 'k.hip',
      symbol: name,
      name,
    });
    expect(await generateIn(made)).toMatchObject({ language: 'none', no_source: { code: 'SOURCE_TRITON' } });
    expect(await generateIn(made, { language: 'hip' })).toMatchObject({ language: 'hip', identical: true });
    expect(await failure(generateIn(made, { language: 'cuda' }))).toMatchObject({ code: 'USAGE' });
  });

  it('takes a kernel for one of Triton where it is told so, but none whose name is one of C++', async () => {
    const refused = await failure(generateIn(make(scaleApp), { language: 'triton' }));
    expect(refused).toMatchObject({ code: 'USAGE', what: expect.stringContaining('no Triton kernel') as string });
    const name = 'add_kernel';
    const sources = { 'k.hip': `${hip}extern "C" __global__ void ${name}(float* x) { x[0] += 1; }\n` };
    const made = make({ sources, commands: { 'k.hip': arch }, captured: 'k.hip', symbol: name, name });
    expect(await generateIn(made, { language: 'triton' })).toMatchObject({
      language: 'none',
      no_source: { code: 'SOURCE_TRITON' },
    });
  });

  it('says so where the source was edited after the capture', async () => {
    const made = make(scaleApp);
    write(join(made.app, 'inc/sub/value.h'), '#define VALUE 4.0f\n');
    const generated = await generateIn(made);
    expect(generated.identical).toBe(false);
    expect(generated.said).toContain('not the captured code object');
    expect(generated.read('README.md')).toContain('though not to the');
  });

  it('names another build of the program, where the source may be another text, before the options', async () => {
    const made = make({
      sources: { 'k.cpp': `${hipHeader}\n#define SCALE 2\n${scale}` },
      commands: null,
      captured: 'k.cpp',
      ...ofScale,
      beside: { 'apps/demo/build/demo': 'another' },
    });
    write(join(made.app, 'k.cpp'), `${hipHeader}\n#define SCALE 3\n${scale}`);
    const folder = join(made.reproducer, 'capture/capture.json');
    const capture = JSON.parse(readFileSync(folder, 'utf8')) as { app: object };
    const ofProgram = (path: string, text: string): void =>
      write(
        folder,
        JSON.stringify({ ...capture, app: { files: [{ path, sha256: sha256(text), role: 'executable' }] } }),
      );
    const anotherBuild =
      'demo is another build here than the captured one, perhaps of another text; or build/compile_commands.json does not exist';
    ofProgram('theirs/demo', 'captured');
    expect((await generateIn(made)).said).toContain(anotherBuild);
    for (const [path, text] of [
      ['theirs/demo', 'another'],
      ['theirs/tool', 'captured'],
    ] as const) {
      ofProgram(path, text);
      expect((await generateIn(made)).said).not.toContain('another build');
    }
  });

  it('falls back to what hipcc does where there is no compile database, and says so once, if the code differs', async () => {
    const made = make({
      sources: { 'k.cpp': `${hipHeader}\n#define SCALE 2\n${scale}`, 'host.cpp': 'this is no C++ { at all' },
      commands: null,
      captured: 'k.cpp',
      ...ofScale,
    });
    const generated = await generateIn(made);
    expect(generated).toMatchObject({ identical: true, source: 'apps/demo/k.cpp' });
    expect(generated.notes.join()).toContain('no compile database');
    expect(generated.said).not.toMatch(/compile database|compile_commands/);
    write(join(made.app, 'k.cpp'), `${hipHeader}\n#define SCALE 3\n${scale}`);
    const { said } = await generateIn(made);
    expect(said.match(/compile_commands\.json|no compile database/g)).toHaveLength(1);
    expect(said).toMatch(
      /build\/compile_commands\.json does not exist, so that plain hipcc compiled it; .*watch-build/,
    );
  });

  it('makes a reproducer without source for a kernel that no source of the app defines', async () => {
    const generated = await generateIn(
      make({
        sources: { 'main.hip': `${hip}#define SCALE 2\n${scale}// calls library_kernel<float>` },
        commands: { 'main.hip': arch },
        captured: 'main.hip',
        symbol: '_ZN3lib14library_kernelIfEEvPT_',
        name: 'void lib::library_kernel<float>(float*)',
      }),
    );
    expect(generated).toMatchObject({ language: 'none', identical: null, source: null });
    expect(generated.files).toEqual(['Makefile', 'README.md', 'kernel.json']);
    expect(generated.no_source).toMatchObject({ code: 'SOURCE_NO_TRAIL' });
    expect(generated.said).toContain('no kernel of this name comes out of the one translation unit');
    expect(generated.project.no_source).toEqual(generated.no_source);
    expect(generated.read('README.md')).toContain('SOURCE_NO_TRAIL');
    expect(generated.read('Makefile')).not.toContain('recompile');
  });

  // Modelled on llama.cpp's matrix multiplications: one header, one scripted unit for each instance, and cast template
  // arguments.
  it('finds the unit that instantiates the captured template among several that include its header', async () => {
    const header = `enum ggml_type { Q4 = 2, Q8 = 7 };
#define LIB_ATTR static
template <ggml_type type, int mmq_x, bool need_check> LIB_ATTR __global__ void
#if defined(FAST)
__launch_bounds__(64, 2)
#else
__launch_bounds__(128)
#endif
mul_mat_q(const char* __restrict__ x, float* y, const int n) {
  if (!need_check || threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x] * (int)type + mmq_x;
}
template <ggml_type type> void launch(const char* x, float* y) { mul_mat_q<type, 32, true><<<1, 64>>>(x, y, 64); }
#define DECL_MMQ_CASE(type) template void launch<type>(const char*, float*)
`;
    const instance = (type: string) => `#include "../mmq.cuh"\nDECL_MMQ_CASE(${type});\n`;
    const generated = await generateIn(
      make({
        sources: {
          'src/mmq.cuh': `${hip}${header}`,
          'src/instances/mmq-q4.hip': instance('Q4'),
          'src/instances/mmq-q8.hip': instance('Q8'),
          'src/other.hip': `${hip}__global__ void mul_mat(float* y) { y[0] = 1; }\n`,
        },
        commands: {
          'src/instances/mmq-q4.hip': arch,
          'src/other.hip': arch,
          'src/instances/mmq-q8.hip': arch,
        },
        captured: 'src/instances/mmq-q8.hip',
        symbol: '_ZL9mul_mat_qIL9ggml_type7ELi32ELb1EEvPKcPfi',
        name: 'void mul_mat_q<(ggml_type)7, 32, true>(char const*, float*, int)',
        slots: [
          { offset: 0, size: 8, kind: 'global_buffer' },
          { offset: 8, size: 8, kind: 'global_buffer' },
          { offset: 16, size: 4, kind: 'by_value' },
        ],
      }),
    );
    expect(generated).toMatchObject({ identical: true, source: 'apps/demo/src/mmq.cuh' });
    expect(generated.recipe).toMatchObject({
      main: 'src/instances/mmq-q8.hip',
      variant: { file: 'kernel_variant.cuh' },
    });
    expect(generated.project.args.map(({ name, element }) => [name, element])).toEqual([
      ['x', 'i8'],
      ['y', 'f32'],
      ['n', null],
    ]);
  });

  it('finds a kernel with deduced template arguments in a file that the build generates', async () => {
    const generated = await generateIn(
      make({
        sources: {
          'build/generated/k.hip': `${hip}#include "body.h"\nvoid run(double* x) { scale<<<1, 64>>>(x, 2); }\n`,
          'templates/body.h': 'template <typename T> __global__ void scale(T* x, int n) { x[threadIdx.x] *= n; }\n',
        },
        commands: { 'build/generated/k.hip': `-I{app}/templates ${arch}` },
        captured: 'build/generated/k.hip',
        symbol: '_Z5scaleIdEvPT_i',
        name: 'void scale<double>(double*, int)',
      }),
    );
    expect(generated).toMatchObject({
      identical: true,
      source: 'apps/demo/templates/body.h',
      project: { source: { translation_unit: 'apps/demo/build/generated/k.hip' } },
    });
  });

  it('takes the unit itself for a kernel that a macro defines', async () => {
    const generated = await generateIn(
      make({
        sources: {
          'k.hip': `${hip}#define KERNEL(name) extern "C" __global__ void name(float* x) { x[0] *= 2.0f; }\nKERNEL(made)\n`,
        },
        commands: { 'k.hip': arch },
        captured: 'k.hip',
        symbol: 'made',
        name: 'made',
        slots: [{ offset: 0, size: 8, kind: 'global_buffer' }],
      }),
    );
    expect(generated).toMatchObject({ identical: true, source: 'apps/demo/k.hip' });
    expect(generated.project.args).toMatchObject([{ name: null, type: 'global_buffer', role: 'inout' }]);
  });

  it('takes the unit itself for a kernel whose name a macro pastes together', async () => {
    const define = '#define KERNEL(name, T) \\\n  extern "C" __global__ void name##_##T(T* x) { x[0] *= 2; }\n';
    const generated = await generateIn(
      make({
        sources: { 'a.hip': `${hip}${scale.replace('SCALE', '2')}`, 'k.hip': `${hip}${define}KERNEL(made, float)\n` },
        commands: { 'a.hip': arch, 'k.hip': arch },
        captured: 'k.hip',
        symbol: 'made_float',
        name: 'made_float',
        slots: [{ offset: 0, size: 8, kind: 'global_buffer' }],
      }),
    );
    expect(generated).toMatchObject({
      identical: true,
      source: 'apps/demo/k.hip',
      project: { source: { line: null } },
    });
  });

  it('carries headers beside the app, outside the workspace and behind links, each where its includes expect it', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'kernloop-outside-'));
    folders.push(outside);
    write(join(outside, 'include', 'lib', 'lib.h'), '#include "detail.h"\n#define C 5.0f * D\n');
    write(join(outside, 'include', 'lib', 'detail.h'), '#define D 7.0f\n');
    const generated = await generateIn(
      make({
        sources: {
          'src/k.hip': `${hipHeader}\n#include "../../common/a.h"\n#include "missing/../../linked/b.h"\n#include <lib/lib.h>\n#define SCALE A * B * C * E\n${scale}`,
          'src/missing/unused.h': '',
          'real/b.h': '#include "inner.h"\n',
          'real/inner.h': '#define B 3.0f\n',
          'forced.h': '#define E 11.0f\n',
        },
        beside: { 'apps/common/a.h': '#define A 2.0f\n' },
        links: { linked: 'real' },
        commands: {
          'src/k.hip': `-I ${outside}/include -I${outside}/nothing -idirafter /usr/include -include {app}/forced.h -DHOME="{app}/data" ${withHeader}`,
        },
        captured: 'src/k.hip',
        ...ofScale,
      }),
    );
    expect(generated.identical).toBe(true);
    expect(generated.files.filter((path) => path.startsWith('deps/')).sort()).toEqual([
      'deps/_external/0/lib/detail.h',
      'deps/_external/0/lib/lib.h',
      'deps/common/a.h',
      'deps/demo/forced.h',
      'deps/demo/real/b.h',
      'deps/demo/real/inner.h',
      'deps/demo/src/k.hip',
    ]);
    expect(generated.recipe.arguments).toEqual([
      ...['-I', '{deps}/_external/0', '-idirafter', '/usr/include', '-include', '{deps}/demo/forced.h'],
      ...['-DHOME="{deps}/demo/data"', '-O3', '-x', 'hip'],
    ]);
    expect(generated.notes.join()).toContain('nothing is included from it');
    for (const path of generated.files) expect(generated.read(path)).not.toContain(outside);
  });

  it('compiles with the clang of a build that uses no hipcc', async () => {
    const generated = await generateIn(
      make({
        ...scaleAppWithHeader,
        compiler: '/usr/bin/clang++-15',
        commands: {
          'src/k.hip':
            '-DFACTOR=2.0f -O2 --rocm-path=/usr --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode --offload-arch=gfx90a',
        },
      }),
    );
    expect(generated.identical).toBe(true);
    expect(generated.recipe.compiler.name).toBe('clang++-15');
    expect(generated.recipe.arguments).toContain('--rocm-path=/usr');
  });

  it('keeps the variables that change what hipcc compiles', async () => {
    const generated = await generateIn(
      make({
        sources: { 'k.hip': `${hip}${scale}` },
        commands: { 'k.hip': arch },
        captured: 'k.hip',
        env: { HIPCC_COMPILE_FLAGS_APPEND: '-DSCALE=9', OTHER: 'x' },
        ...ofScale,
      }),
    );
    expect(generated.identical).toBe(true);
    expect(generated.recipe.environment).toEqual({ HIPCC_COMPILE_FLAGS_APPEND: '-DSCALE=9' });
  });

  it('passes on why a source that was found does not compile', async () => {
    const made = make(scaleApp);
    write(join(made.app, 'inc/scale.h'), '#define SCALE no_such_value\n');
    const error = await failure(generateIn(made));
    expect(error).toMatchObject({ code: 'COMPILE_FAILED' });
    expect(error.what).toContain('no_such_value');
    expect(readdirSync(made.reproducer)).toEqual(['capture']);
  });

  it('refuses a kernel that is not declared and one that was not captured', async () => {
    const made = make(scaleApp);
    const { deps } = recordingDeps();
    const base = { app: made.app, compileLimitSeconds: 120 };
    expect(await failure(generate({ ...base, kernel: 'kk' }, deps))).toMatchObject({ code: 'KERNEL_UNKNOWN' });
    rmSync(join(made.reproducer, 'capture'), { recursive: true });
    expect(await failure(generate({ ...base, kernel: 'k' }, deps))).toMatchObject({ code: 'CAPTURE_MISSING' });
  });
});
