import { failure } from '../testing/failure';
import { fakeDeps } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
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
  });
});
