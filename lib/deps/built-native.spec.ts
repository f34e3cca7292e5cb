import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps, type FakeProgram } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { coreProducts, nativePathsIn, nativeProducts, restProducts, type NativePaths } from '../native/native-paths';
import { isLeftOut } from '../native/rest';
import { builtNative } from './built-native';

describe('what quickstart leaves out of a checkout', () => {
  let workspace: TestWorkspace;
  let native: NativePaths;

  beforeEach(() => {
    workspace = new TestWorkspace();
    native = nativePathsIn(workspace.path('checkout', 'native', 'build'));
    workspace.write('checkout/tools/native.mjs', '');
    workspace.write(join(native.root, 'build.ninja'), '');
    for (const name of coreProducts) workspace.write(native[name], name);
  });
  afterEach(() => workspace.dispose());

  const builder: FakeProgram = () => {
    for (const name of restProducts) workspace.write(native[name], name);
    return 0;
  };
  const depsWith = (program: FakeProgram = builder, from = native): FakeDeps => {
    let now = 0;
    return fakeDeps({ node: program }, from, {
      clock: { now: () => new Date(0), monotonicMs: () => (now += 31_000) },
    });
  };

  it('is every product that is not of the core, and none of it twice', () => {
    expect([...coreProducts, ...restProducts].sort()).toEqual([...nativeProducts].sort());
    expect(coreProducts).toEqual(['recorder', 'replay', 'archive', 'agentHsa', 'sandbox', 'softgpu', 'hipErrors']);
  });

  it('is built by the first that asks, who says so and how long it took, and not again', async () => {
    const deps = depsWith();
    expect(await builtNative('trace', deps)).toBe(native.trace);
    expect(deps.calls.map(({ args }) => args)).toEqual([[workspace.path('checkout/tools/native.mjs'), 'rest']]);
    expect(deps.said.info).toEqual([
      expect.stringMatching(/^building the native programs for PGO, traces, CUDA and watch-build/),
      expect.stringMatching(/ in 31 s$/),
    ]);
    expect(await builtNative('pgo', deps)).toBe(native.pgo);
    expect(deps.calls).toHaveLength(1);
  });

  it('is built where a part of it is there already, as an interrupted build leaves it', async () => {
    workspace.write(native.agentCuda, '');
    const deps = depsWith();
    await builtNative('agentCuda', deps);
    expect(deps.calls).toHaveLength(1);
    expect(isLeftOut(native)).toBe(false);
  });

  it('fails with what the build said, and with what to install', async () => {
    const deps = depsWith(() => ({
      exitCode: 69,
      stdoutTail: 'flock: failed to execute ninja: No such file or directory\n',
      stderrTail: 'error: native core: rest failed with exit code 69\n',
    }));
    const error = await failure(builtNative('watch', deps));
    expect(error).toMatchObject({ code: 'ENVIRONMENT_NATIVE_MISSING', exitCode: 5 });
    expect(error.what).toContain('failed to execute ninja');
    expect(error.what).toContain('rest failed with exit code 69');
    expect(error.hint).toContain('ninja-build');
    expect(deps.said.info).toHaveLength(1);
  });

  it('is asked of nobody where nothing can build it: in a package, and in a folder that is no build of a checkout', async () => {
    rmSync(join(native.root, 'build.ninja'));
    const elsewhere = nativePathsIn(workspace.path('copied'));
    mkdirSync(elsewhere.root);
    workspace.write('copied/build.ninja', '');
    for (const paths of [native, elsewhere]) {
      const deps = depsWith(builder, paths);
      expect(isLeftOut(paths)).toBe(false);
      expect(await builtNative('trace', deps)).toBe(paths.trace);
      expect(deps.calls).toEqual([]);
    }
  });
});
