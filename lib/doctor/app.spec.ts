import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeProgram } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { appChecks } from './app';

describe('what kernloop doctor says of an app', () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const check = (command: string[], ldd: FakeProgram = () => 1, env = {}) => {
    writeFileSync(join(workspace.app, 'program'), '#!/bin/sh\n');
    chmodSync(join(workspace.app, 'program'), 0o755);
    writeFileSync(join(workspace.app, 'kernloop.json'), JSON.stringify({ name: 'app', command }));
    return appChecks(workspace.app, fakeDeps({ ldd }, workspace.native, { env }));
  };
  const missing = async (...args: Parameters<typeof check>) =>
    (await check(...args)).filter(({ state }) => state === 'missing').map(({ name }) => name);

  it('has nothing against a plain program', async () => {
    const checks = await check(['./program']);
    expect(checks.map(({ name, state }) => [name, state])).toEqual([
      ['app: program', 'ok'],
      ['app: environment', 'ok'],
      ['app: runtime', 'ok'],
      ['app: compile database', 'optional'],
    ]);
    expect(checks[1]?.detail).toContain('HSA_TOOLS_LIB');
  });

  it('names a wrapper, another runtime, a tool in the way, and what is not there', async () => {
    expect(await missing(['./program', 'env', '-i', 'x'])).toEqual(['app: environment']);
    const ldd: FakeProgram = ({ print }) => {
      print('libhsa-runtime64.so.1 => /opt/rocm/lib/libhsa-runtime64.so.1 (0x1)');
      return 0;
    };
    expect(await missing(['./program'], ldd)).toEqual(['app: runtime']);
    const [tool] = await check(['./program'], undefined, { HSA_TOOLS_LIB: '/other.so' });
    expect(tool).toMatchObject({ state: 'missing', detail: expect.stringContaining('/other.so') as string });
    expect(await missing(['./none'])).toEqual(['app']);
  });

  it('refuses a folder without an app', async () => {
    expect(await failure(appChecks('/', fakeDeps({}, workspace.native)))).toMatchObject({ code: 'CONFIG_MISSING' });
  });
});
