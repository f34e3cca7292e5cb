import { chmodSync } from 'node:fs';
import { failure } from '../testing/failure';
import { fakeDeps } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { debianPackages } from '../toolchain/program-packages';
import { openApp } from './app';
import { buildApp } from './build';

describe('building an app', () => {
  let workspace: TestWorkspace;

  afterEach(() => workspace.dispose());

  async function commands(build: object): Promise<string[]> {
    workspace = new TestWorkspace({ build, env: { HIP_PLATFORM: 'amd' } });
    const deps = fakeDeps({ cmake: () => 0, make: () => 0 }, workspace.native);
    await buildApp(openApp(workspace.app), deps);
    expect(deps.calls.every(({ env }) => env['HIP_PLATFORM'] === 'amd')).toBe(true);
    return deps.calls.map(({ program }) => program);
  }

  it('configures where an output is missing, and then builds until a build without work would write nothing', async () => {
    expect(await commands({ configure: ['cmake'], command: ['make'], outputs: ['build'] })).toEqual([
      'cmake',
      'make',
      'make',
    ]);
  });

  it('only builds where every output is there', async () => {
    expect(await commands({ configure: ['cmake'], command: ['make'], outputs: ['program'] })).toEqual(['make']);
  });

  it('stops at the first step that fails', async () => {
    workspace = new TestWorkspace({ build: { configure: ['cmake'], command: ['make'], outputs: ['build'] } });
    const deps = fakeDeps(
      { cmake: () => ({ exitCode: 1, stderrTail: 'no compiler' }), make: () => 0 },
      workspace.native,
    );
    expect(await failure(buildApp(openApp(workspace.app), deps))).toMatchObject({
      code: 'APP_BUILD_FAILED',
      exitCode: 2,
    });
    expect(deps.calls).toHaveLength(1);
  });

  it('says when the build tool is not there', async () => {
    workspace = new TestWorkspace({ build: { command: ['ninja'] } });
    const error = await failure(buildApp(openApp(workspace.app), fakeDeps({}, workspace.native)));
    expect(error.what).toContain('could not be started (ENOENT)');
    expect(error.hint).toContain('PATH');
  });

  it.each([
    'make: mytool-2: No such file or directory\nmake: *** [Makefile:2: demo] Error 127',
    'make[2]: mytool-2: No such file or directory',
    '/bin/sh: 1: mytool-2: not found',
    'bash: line 1: mytool-2: command not found',
    'env: ‘mytool-2’: No such file or directory',
  ])('says what to do about a program that the build did not find: %j', async (stderrTail) => {
    workspace = new TestWorkspace({ build: { command: ['make'] } });
    const deps = fakeDeps({ make: () => ({ exitCode: 2, stderrTail }) }, workspace.native);
    const error = await failure(buildApp(openApp(workspace.app), deps));
    expect(error.hint).toBe('install mytool-2, or put the folder that has mytool-2 on the PATH');
  });

  it.each([
    ['hipcc', ['hipcc', 'libamdhip64-dev']],
    ['ninja', ['ninja-build']],
    ['clang++-22', ['clang-22']],
    ['make', ['make']],
    ['mytool-2', []],
  ])('knows the packages of %s', (program, packages) => {
    expect(debianPackages(program)).toEqual(packages);
  });

  it('says where a compiler is that is not on the PATH of the build', async () => {
    workspace = new TestWorkspace({ build: { command: ['make'] } });
    chmodSync(workspace.write('rocm/bin/hipcc', '#!/bin/sh\n'), 0o755);
    const deps = fakeDeps(
      { make: () => ({ exitCode: 2, stderrTail: 'make: hipcc: No such file or directory' }) },
      workspace.native,
      { env: { PATH: workspace.path('none'), ROCM_PATH: workspace.path('rocm') } },
    );
    const error = await failure(buildApp(openApp(workspace.app), deps));
    expect(error.hint).toContain(`export PATH="${workspace.path('rocm/bin')}:$PATH"`);
  });

  it('does not take a source file that is missing for a program', async () => {
    workspace = new TestWorkspace({ build: { command: ['make'] } });
    const stderrTail = "clang: error: no such file or directory: 'demo.hip'\nmake: *** No rule to make target 'x'.";
    const deps = fakeDeps({ make: () => ({ exitCode: 2, stderrTail }) }, workspace.native);
    expect((await failure(buildApp(openApp(workspace.app), deps))).hint).toContain('run it by hand');
  });
});
