import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { adopt } from '../adopt/adopt';
import { recompile } from '../recompile/recompile';
import { runProcess, type ProcessRunner } from '../support/exec';
import { describeCode } from '../toolchain/described-code';
import type { Recipe } from '../toolchain/recipe';
import { generate } from './generate';
import { oneKernelUnit } from './one-kernel';
import { fixture, recordingDeps, type Fixture } from './testing/fixture';

jest.setTimeout(240_000);

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })));

const widths = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/** A unit of an app that instantiates a template nine times; `body` is the kernel's body. */
function make(body: string, before = ''): Fixture {
  const made = fixture({
    sources: {
      'kernels/wide.h': `#include <hip/hip_runtime.h>\n${before}\nnamespace ops {\ntemplate <int N> __global__ void wide(float* x, int n) { ${body} }\n}\n`,
      'unit.hip': [
        '#include "kernels/wide.h"',
        '#define INSTANCE(n) template __global__ void ops::wide<n>(float*, int);',
        ...widths.map((width) => `INSTANCE(${width})`),
        '__global__ void beside(float* x) { x[0] = 1; }',
        '',
      ].join('\n'),
    },
    commands: { 'unit.hip': '-O3 --offload-arch=gfx90a' },
    captured: 'unit.hip',
    symbol: '_ZN3ops4wideILi7EEEvPfi',
    name: 'void ops::wide<7>(float*, int)',
  });
  folders.push(made.workspace);
  return made;
}

async function generated({ app }: Fixture) {
  // Replaces the archive, which contains no code, by the output of the app's own command.
  const run: ProcessRunner = (file, args, options) =>
    args[0] === 'code-object'
      ? runProcess('cp', [join(app, 'build', 'captured.o.hsaco'), args[args.indexOf('--output') + 1] ?? ''], options)
      : runProcess(file, args, options);
  const { deps, reported } = recordingDeps({ run });
  const result = await generate({ app, kernel: 'k', compileLimitSeconds: 120 }, deps);
  const recipe = JSON.parse(readFileSync(join(result.pristine, 'recipe.json'), 'utf8')) as Recipe;
  return { result, recipe, said: reported.join('\n'), deps };
}

const plain = 'if (threadIdx.x < n) x[threadIdx.x] *= N;';

describe('a unit of many kernels', () => {
  it('is compiled for the captured one alone, which keeps its instructions', async () => {
    const made = make(plain);
    const { result, recipe, deps } = await generated(made);
    expect(result).toMatchObject({ identical: false, same_machine_code: true });
    expect(recipe.main).toBe('unit.one-kernel.hip');
    expect(recipe.notes).toEqual(['of the 10 kernels of unit.hip, the captured one alone is compiled']);
    expect(result.files).toContain('deps/unit.one-kernel.hip');
    expect(readFileSync(join(result.pristine, 'deps/unit.one-kernel.hip'), 'utf8')).toBe(
      [
        '// Compiled in the place of unit.hip: its directives, and of all kernels the captured one.',
        '#include "kernels/wide.h"',
        '#define INSTANCE(n) template __global__ void ops::wide<n>(float*, int);',
        'void *const kernloop_captured_kernel = (void *)&ops::wide<7>;',
        '',
      ].join('\n'),
    );
    await adopt({ reproducer: made.reproducer, reset: false }, deps);
    const built = await recompile({ reproducer: made.reproducer, compileLimitSeconds: 120 }, deps);
    const described = await describeCode(readFileSync(built.code_object), deps);
    expect(described?.kernels.map(({ symbol }) => symbol)).toEqual(['_ZN3ops4wideILi7EEEvPfi']);
  });

  it('is compiled whole where the kernel reads what lies elsewhere in the code object', async () => {
    const before = 'static __device__ const float table[8] = {3, 1, 4, 1, 5, 9, 2, 6};';
    const { result, recipe } = await generated(make('x[0] = table[n * N % 8];', before));
    expect([result.identical, recipe.main]).toEqual([true, 'unit.hip']);
    expect(recipe.notes).toEqual([
      'all 10 kernels of unit.hip are compiled: the captured one alone could not be shown to keep its instructions',
    ]);
    expect(existsSync(join(result.pristine, 'deps/unit.one-kernel.hip'))).toBe(false);
  });

  it('is compiled whole where there is no name for its template arguments', () => {
    const recipe = { main: 'a/unit.hip', variant: { file: 'kernel_variant.h', stands_for: 'k.h' } };
    expect(oneKernelUnit(recipe, '', 'void k(float*)')).toBeNull();
    expect(oneKernelUnit({ ...recipe, main: 'k.h' }, '', 'void k<1>(float*)')).toBeNull();
    const text = '#define A \\\n  1\nint x;\n  # include <b>\r\n"#";\n';
    expect(
      oneKernelUnit(recipe, text, 'void a::(anonymous namespace)::k<(anonymous namespace)::T, 4>(float*)'),
    ).toEqual({
      main: 'a/unit.one-kernel.hip',
      text: '// Compiled in the place of unit.hip: its directives, and of all kernels the captured one.\n#define A \\\n  1\n  # include <b>\r\nvoid *const kernloop_captured_kernel = (void *)&a::k<T, 4>;\n',
    });
  });
});
