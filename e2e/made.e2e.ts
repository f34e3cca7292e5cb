import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { Workspace } from './harness';

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
      { result: { compiled: 5, kept: 0, deviceUnits: 5 } },
    ]);
    const entries = workspace.json<Entry[]>('apps/made/.kernloop/watched/compile_commands.json');
    const words = Object.fromEntries(entries.map(({ file, arguments: args }) => [basename(file), args]));
    expect(Object.keys(words).sort()).toEqual(['cached.hip', 'main.hip', 'part.hip', 'unity.hip', 'whole.hip']);
    // Behind ccache, by a response file that is gone.
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
    // What was compiled until then will not be compiled again.
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
