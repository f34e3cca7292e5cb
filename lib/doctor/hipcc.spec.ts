import { chmodSync } from 'node:fs';
import { runProcess } from '../support/exec';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { hipccCheck } from './hipcc';

describe('what kernloop doctor says of hipcc', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const hipcc = (path: string, body = 'echo "HIP version: 9.1"'): string => {
    const file = workspace.write(path, `#!/bin/sh\n${body}\n`);
    chmodSync(file, 0o755);
    return file;
  };
  const deps = (env: Record<string, string>): FakeDeps =>
    fakeDeps({}, workspace.native, { env: { PATH: workspace.path('bin'), ...env }, run: runProcess });

  it('names its path and version', async () => {
    const path = hipcc('bin/hipcc');
    expect(await hipccCheck(deps({}))).toMatchObject({ state: 'ok', detail: `${path}; HIP version: 9.1` });
  });

  it('finds the one that recompile finds outside of the PATH, and says that builds may not', async () => {
    const path = hipcc('rocm/bin/hipcc');
    const { state, detail } = await hipccCheck(deps({ ROCM_PATH: workspace.path('rocm') }));
    expect([state, detail]).toEqual(['ok', expect.stringContaining(`${path} (recompile finds it there; it is not on`)]);
  });

  it('takes what KERNLOOP_COMPILER names, as recompile does, even if another is on the PATH', async () => {
    hipcc('bin/hipcc');
    const path = hipcc('mine/cc', 'echo "mine version 3"');
    const { detail } = await hipccCheck(deps({ KERNLOOP_COMPILER: path }));
    expect(detail).toBe(`${path} (named by KERNLOOP_COMPILER); mine version 3`);
  });

  it('is not ok if KERNLOOP_COMPILER names nothing that can be started, or if it fails', async () => {
    hipcc('bin/hipcc');
    const gone = workspace.path('gone');
    expect(await hipccCheck(deps({ KERNLOOP_COMPILER: gone }))).toMatchObject({
      state: 'missing',
      detail: `KERNLOOP_COMPILER is ${gone}, which is no executable file`,
    });
    const broken = hipcc('broken/hipcc', 'echo "no clang" >&2; exit 1');
    expect(await hipccCheck(deps({ KERNLOOP_COMPILER: broken }))).toMatchObject({
      state: 'missing',
      detail: expect.stringContaining('no clang') as unknown,
    });
  });
});
