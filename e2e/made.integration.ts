import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { Workspace } from './in-process';

interface Entry {
  file: string;
  arguments: string[];
}

describe('an app of a Makefile, without a compile database', () => {
  let workspace: Workspace;
  beforeAll(() => {
    workspace = Workspace.create(['e2e/fixtures/made', 'e2e/fixtures/relocatable']);
  });
  afterAll(() => workspace.remove());

  const recipe = (kernel: string) =>
    workspace.json<{ main: string; arguments: string[]; code_object: { captured: string; recompiled: string } }>(
      `kernels/made/${kernel}/pristine/recipe.json`,
    );

  it('has its build watched, whatever starts the compiler', async () => {
    const built = await workspace.kernloop(['watch-build', '--app', 'apps/made', '--json', '--', 'make', '-j2']);
    expect([built.code, JSON.parse(built.stdout)]).toMatchObject([
      0,
      { result: { compiled: 5, kept: 0, device_units: 5 } },
    ]);
    const entries = workspace.json<Entry[]>('apps/made/.kernloop/watched/compile_commands.json');
    const words = Object.fromEntries(entries.map(({ file, arguments: args }) => [basename(file), args]));
    expect(Object.keys(words).sort()).toEqual(['cached.hip', 'main.hip', 'part.hip', 'unity.hip', 'whole.hip']);
    // Compiled through ccache, with a response file that is gone.
    expect(words['cached.hip']).toEqual(expect.arrayContaining(['hipcc', '-DBIAS=5', '-Isrc']));
    expect(existsSync(workspace.path('apps/made/out/temporary.rsp'))).toBe(false);
  });

  it('gives every kernel its source: generated headers, a unity build, ccache, a file loaded at run time', async () => {
    const extracted = await workspace.kernloop(['extract', '--app', 'apps/made']);
    expect([extracted.code, extracted.text]).toEqual([0, expect.not.stringContaining('compiled with plain')]);
    for (const kernel of ['scaled', 'k_two', 'k_cached', 'k_whole', 'part']) {
      const { code_object: code } = recipe(kernel);
      expect([kernel, code.recompiled]).toEqual([kernel, code.captured]);
    }
    expect(recipe('k_two').main).toBe('out/unity.hip');
    expect(workspace.read('kernels/made/k_two/deps/out/unity.hip')).toBe(
      '#include "../src/one.hip"\n#include "../src/two.hip"\n',
    );
    expect(workspace.read('kernels/made/scaled/deps/out/gen/config.h')).toContain('FACTOR');
    expect(recipe('k_cached').arguments).toContain('-DBIAS=5');
  });

  it('has an edit of a file of the unity build judged', async () => {
    workspace.edit('kernels/made/k_two/kernel_variant.hip', (text) => text.replace('x[i] += 3', 'x[i] += 4'));
    const recompiled = await workspace.kernloop(['recompile', 'kernels/made/k_two']);
    expect([recompiled.code, recompiled.text]).toEqual([0, expect.stringContaining('build/variant.hsaco')]);
    expect((await workspace.kernloop(['validate', 'kernels/made/k_two'])).text).toContain('Result: FAIL');
  });

  it('keeps what is known of files that are not compiled again', async () => {
    workspace.edit('apps/made/src/whole.hip', (text) => `${text}\n`);
    const again = await workspace.kernloop(['watch-build', '--app', 'apps/made', '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ result: { compiled: 1, kept: 4 } });
  });

  it('that builds nothing, or fails, is an error that says what to do', async () => {
    const nothing = await workspace.kernloop(['watch-build', '--app', 'apps/relocatable', '--', 'true']);
    expect([nothing.code, nothing.text]).toEqual([2, expect.stringContaining('BUILD_NOT_SEEN')]);
    const failed = await workspace.kernloop(['watch-build', '--app', 'apps/relocatable', '--', 'make', 'b.o', 'c.o']);
    expect([failed.code, failed.text]).toEqual([2, expect.stringContaining('APP_BUILD_FAILED')]);
    // Files compiled so far will not be compiled again.
    const rest = await workspace.kernloop(['watch-build', '--app', 'apps/relocatable', '--json']);
    expect(JSON.parse(rest.stdout)).toMatchObject({ result: { compiled: 1, kept: 1 } });
  });

  it('that links device code of several units is refused with the reason', async () => {
    const refused = await workspace.kernloop(['extract', 'joined', '--app', 'apps/relocatable']);
    expect([refused.code, refused.text]).toEqual([
      2,
      expect.stringContaining('helper(float) is defined there [RDC_UNSUPPORTED]'),
    ]);
  });
});

describe('an app of 150 units, of which one instantiates the kernel', () => {
  let workspace: Workspace;
  const [count, wanted] = [150, 75];
  const unit = (number: number): string => `unit${number}.hip`;
  const app = 'apps/many';

  beforeAll(async () => {
    workspace = Workspace.create([]);
    const template =
      'template <class T> __global__ void grow(T* x, int n) { int i = threadIdx.x; if (i < n) x[i] += 3; }';
    workspace.write(`${app}/grow.h`, `#pragma once\n#include <hip/hip_runtime.h>\n${template}\n`);
    for (let number = 0; number < count; number += 1) workspace.write(`${app}/${unit(number)}`, '#include "grow.h"\n');
    workspace.write(
      `${app}/${unit(wanted)}`,
      '#include "grow.h"\nvoid run(float* x) { grow<float><<<1, 64>>>(x, 60); }\n',
    );
    workspace.write(
      `${app}/main.cpp`,
      `#include <hip/hip_runtime_api.h>
void run(float*);
int main() {
  float* x;
  if (hipMalloc(&x, 256) != hipSuccess || hipMemset(x, 0, 256) != hipSuccess) return 1;
  run(x);
  return hipDeviceSynchronize() == hipSuccess ? 0 : 1;
}
`,
    );
    const compile = ['hipcc', '--offload-arch=gfx90a', '-O2', '-c'];
    const entry = (number: number): object => ({
      ...{ directory: workspace.path(app), file: unit(number) },
      arguments: [...compile, unit(number), '-o', `unit${number}.o`],
    });
    workspace.write(
      `${app}/compile_commands.json`,
      Array.from({ length: count }, (_, number) => entry(number)),
    );
    // Units with the same text share one object: it is compiled once and copied for the others.
    const build = `set -e
${compile.join(' ')} ${unit(0)} & ${compile.join(' ')} ${unit(wanted)}; wait $!
g++ -O0 -D__HIP_PLATFORM_AMD__ -c main.cpp
for number in $(seq 1 ${count - 1}); do [ $number = ${wanted} ] || cp unit0.o unit$number.o; done
hipcc *.o -o app
`;
    workspace.write(`${app}/build.sh`, build);
    workspace.write(`${app}/kernloop.json`, {
      ...{ name: 'many', build: { command: ['bash', 'build.sh'], outputs: ['app'] }, command: ['./app'] },
      ...{ env: { HIP_PLATFORM: 'amd' }, compileCommands: 'compile_commands.json' },
      kernels: [{ name: 'grow', match: 'grow<float>' }],
    });
    const extracted = await workspace.kernloop(['extract', '--app', app]);
    expect([extracted.code, extracted.text]).toEqual([
      0,
      expect.stringContaining(`grow was built from ${unit(wanted)}, of ${count} translation units`),
    ]);
  });
  afterAll(() => workspace.remove());

  it('gives the kernel its source without being told the unit', () => {
    const recipe = workspace.json<{ main: string; code_object: { captured: string; recompiled: string } }>(
      'kernels/many/grow/pristine/recipe.json',
    );
    expect(recipe.main).toBe(unit(wanted));
    expect(recipe.code_object.recompiled).toBe(recipe.code_object.captured);
  });

  it('has an edit of the header judged: of the value that it writes, and of how it is computed', async () => {
    const judged = async (from: string, to: string): Promise<string> => {
      workspace.edit('kernels/many/grow/kernel_variant.h', (text) => text.replace(from, to));
      expect((await workspace.kernloop(['recompile', 'kernels/many/grow'])).code).toBe(0);
      return (await workspace.kernloop(['validate', 'kernels/many/grow'])).text;
    };
    expect(await judged('x[i] += 3', 'x[i] += 4')).toContain('Result: FAIL');
    expect(await judged('x[i] += 4', 'x[i] = x[i] + 2 + 1')).toContain('Result: PASS');
  });
});
