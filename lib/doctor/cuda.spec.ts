import { chmodSync, rmSync } from 'node:fs';
import { nativePathsIn } from '../native/native-paths';
import { fakeDeps, type FakeDeps, type FakeProgram } from '../testing/fake-deps';
import { cudaDevice, fakeReplay, flag } from '../testing/fake-programs';
import { TestWorkspace } from '../testing/workspace';
import type { Check } from './check';
import { cudaChecks } from './cuda';

describe('what kernloop doctor says of NVIDIA', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  /** A machine with `count` GPUs. */
  const replayWith = (count: number): FakeProgram =>
    fakeReplay((args) =>
      Number(flag(args, '--device')) < count
        ? [cudaDevice]
        : [{ event: 'error', code: 'DEVICE_NOT_FOUND', message: 'no such device', hint: '' }],
    );
  const deps = (programs: Record<string, FakeProgram>, env = {}): FakeDeps =>
    fakeDeps(programs, workspace.native, { env });
  const named = async (name: string, fake: FakeDeps): Promise<Check | undefined> =>
    (await cudaChecks(fake)).find((check) => check.name === name);

  it('lists every GPU with its UUID, which --gpu takes', async () => {
    const check = await named('NVIDIA GPU', deps({ 'kernloop-replay': replayWith(2) }));
    expect(check?.state).toBe('ok');
    expect(check?.detail.split('; ')).toHaveLength(2);
    expect(check?.detail).toContain(`NVIDIA H200 (sm_90, 140.4 GiB, ${cudaDevice.uuid})`);
  });

  it('lacks nothing where there is no GPU, and says why there is none', async () => {
    const message = { event: 'error', code: 'ENVIRONMENT_CUDA_DRIVER_MISSING', message: 'no libcuda.so.1', hint: '' };
    const checks = await cudaChecks(deps({ 'kernloop-replay': fakeReplay(() => [message]) }));
    expect(checks.filter(({ state }) => state === 'missing')).toEqual([]);
    expect(checks[0]?.detail).toBe('none here: no libcuda.so.1');
  });

  it('misses the agent where there is a GPU', async () => {
    rmSync(workspace.native.agentCuda);
    const check = await named('cuda agent', deps({ 'kernloop-replay': replayWith(1) }));
    expect(check).toMatchObject({ state: 'missing', hint: expect.stringContaining('npm run build:native') as unknown });
  });

  it('misses no agent that a checkout has not built yet', async () => {
    const native = nativePathsIn(workspace.path('checkout/native/build'));
    workspace.write('checkout/tools/native.mjs', '');
    workspace.write('checkout/native/build/build.ninja', '');
    const fake = fakeDeps({ 'kernloop-replay': replayWith(1) }, native);
    expect(await named('cuda agent', fake)).toMatchObject({
      state: 'ok',
      detail: 'built when a stage first asks for it',
    });
    expect((await named('NVRTC recording', fake))?.detail).toMatch(/^off/);
  });

  it('names the CUPTI that is used', async () => {
    const library = workspace.write('toolkit/extras/CUPTI/lib64/libcupti.so.13', '');
    const fake = deps({ 'kernloop-replay': replayWith(1) }, { KERNLOOP_CUPTI: library });
    expect(await named('CUPTI', fake)).toMatchObject({ state: 'ok', detail: library });
  });

  it.each([
    [undefined, true, 'optional', /^off: .*KERNLOOP_NVRTC_RECORD=on/],
    ['on', true, 'ok', /^on: .*libkernloop-nvrtc\.so/],
    ['on', false, 'optional', /^not built/],
  ])(
    'says whether programs that an app compiles at run time are recorded: %p, built %p',
    async (value, built, state, detail) => {
      if (built) workspace.write(workspace.native.nvrtcAudit, '');
      const fake = deps({ 'kernloop-replay': replayWith(1) }, { KERNLOOP_NVRTC_RECORD: value });
      expect(await named('NVRTC recording', fake)).toMatchObject({
        state,
        detail: expect.stringMatching(detail) as unknown,
      });
    },
  );

  it('names nvcc and its release', async () => {
    const nvcc = workspace.write('toolkit/bin/nvcc', '#!/bin/sh\n');
    chmodSync(nvcc, 0o755);
    const fake = deps(
      {
        'kernloop-replay': replayWith(1),
        nvcc: () => ({
          exitCode: 0,
          stdoutTail: 'nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88\n',
        }),
      },
      { KERNLOOP_COMPILER: nvcc },
    );
    expect((await named('nvcc', fake))?.detail).toContain('release 13.0');
  });
});
