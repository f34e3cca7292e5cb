import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installFakes, pgoPrograms, writeApp } from '../pgo/testing/fake-llvm';
import { cudaDevice, fakeReplay } from '../testing/fake-programs';
import { fakeDeps, type FakeDeps, type FakeProgram } from '../testing/fake-deps';
import { TestWorkspace } from '../testing/workspace';
import { pgoRuntimeOptionsSchema } from './options';
import { pgoRuntime } from './pgo-runtime';

let workspace: TestWorkspace;
beforeEach(() => {
  workspace = new TestWorkspace();
});
afterEach(() => workspace.dispose());

describe('an app that compiles its kernels at run time', () => {
  const depsWith = (more: Readonly<Record<string, FakeProgram>> = {}): FakeDeps =>
    fakeDeps({ ...pgoPrograms(Buffer.from('code'), writeApp(workspace)), ...more }, workspace.native, {
      env: installFakes(workspace),
    });
  const run = (deps: FakeDeps, more: object = {}) =>
    pgoRuntime(pgoRuntimeOptionsSchema.parse({ app: workspace.app, ...more }), deps);
  /** An app that keeps its configuration and prints the events of the library in it. */
  const configured = (events: readonly object[]): { app: FakeProgram; config: () => Record<string, unknown> } => {
    let read: Record<string, unknown> = {};
    const app: FakeProgram = ({ options }) => {
      const path = options.env?.['KERNLOOP_PGO_RUNTIME'] ?? '';
      read = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
      writeFileSync(join(dirname(path), '7.ndjson'), events.map((event) => `${JSON.stringify(event)}\n`).join(''));
      return 0;
    };
    return { app, config: () => read };
  };

  it('runs as it is, with the library in front of HIP, and leaves its cache alone behind it', async () => {
    const deps = depsWith();
    const result = await run(deps);
    expect(result.programs).toMatchObject([
      { name: 'k.hip', folder: '/cache/k', profile: null, own: 1, counting: 2, production: 3, refused: [] },
    ]);
    expect(result.programs[0]?.sampled).toEqual([{ launches: 1, distance: 12.34, changed: true }]);
    const started = deps.calls.find(({ env }) => env['KERNLOOP_PGO_RUNTIME'] !== undefined);
    expect(started?.env['LD_PRELOAD']).toBe('libkernloop-pgo-runtime.so:libkernloop-hip.so');
    expect(deps.said.result.join('\n')).toMatch(/measured in 2 launches: profile pppppppp, code of it: wave/);
    expect(deps.said.result.join('\n')).toMatch(/at most 12.34% from it; the workload changed once/);
  });

  it('is told all that decides its code by a file, and every part of that counts', async () => {
    const { app, config } = configured([{ event: 'refused', program: 'k.hip', code: 'C', reason: 'why' }]);
    const deps = depsWith({ program: app });
    const result = await run(deps, { bound: 2.5, sampleOneIn: 7, phase: 'measure' });
    expect(result.programs[0]?.refused).toEqual([{ code: 'C', reason: 'why' }]);
    const first = config();
    expect(first).toMatchObject({ mode: 'measure', bound: 250, sample_one_in: 7, measure_launches: 16 });
    expect(first['use']).toContain('-disable-chr');
    await run(deps);
    expect(config()['conditions']).toBe(first['conditions']);
    await run(deps, { gate: ['off'] });
    expect(config()['conditions']).not.toBe(first['conditions']);
    writeFileSync(workspace.path('rocm/amdgcn/bitcode/ockl.bc'), 'another');
    await run(deps);
    expect(config()['conditions']).not.toBe(first['conditions']);
  });

  it('uses what is there where nothing can be compiled, and says so', async () => {
    const { app, config } = configured([{ event: 'program', program: 'k.hip', folder: '/c', profile: 'p' }]);
    const deps = depsWith({ program: app });
    rmSync(workspace.path('llvm/bin/clang++'));
    expect((await run(deps)).programs).toMatchObject([{ profile: 'p' }]);
    expect(config()).toMatchObject({ clang: '', conditions: 'none' });
    expect(deps.said.warn.join('\n')).toMatch(/clang\+\+-22.*only what is in/);
  });

  it('says in production why nothing runs by a profile', async () => {
    const production = async (profile: string): Promise<string> => {
      const { app } = configured([{ event: 'program', program: 'k.hip', folder: '/c', profile }]);
      const deps = depsWith({ program: app });
      await run(deps, { phase: 'production' });
      return deps.said.result.join('\n');
    };
    expect(await production('')).toMatch(/k\.hip: runs as .* compiled it: no profile is in use/);
    expect(await production('p')).not.toMatch(/no profile/);
  });

  it('is an error where it compiled nothing so, or ended badly', async () => {
    await expect(run(depsWith({ program: () => 0 }))).rejects.toMatchObject({ code: 'PGO_PROFILE_MISSING' });
    await expect(run(depsWith({ program: () => 3 }))).rejects.toMatchObject({ code: 'APP_FAILED' });
    rmSync(workspace.native.pgoRuntimeBuilder);
    await expect(run(depsWith())).rejects.toMatchObject({ code: 'ENVIRONMENT_NATIVE_MISSING' });
  });

  it('stands in front of NVRTC on a GPU of NVIDIA, with one build by a profile', async () => {
    const { app, config } = configured([{ event: 'program', program: 'k.cu', folder: '/c', profile: 'p' }]);
    const root = cudaToolkit();
    const programs = {
      ...pgoPrograms(Buffer.from('code'), writeApp(workspace)),
      'kernloop-replay': fakeReplay(() => [cudaDevice]),
      program: app,
      // Holds the lock of the device.
      sh: (({ print }) => {
        print('locked');
        return 0;
      }) satisfies FakeProgram,
    };
    const deps = fakeDeps(programs, workspace.native, { env: { ...installFakes(workspace), CUDA_HOME: root } });
    await run(deps, { device: 'cuda' });
    const started = deps.calls.find(({ env }) => env['KERNLOOP_PGO_RUNTIME'] !== undefined);
    expect(started?.env['LD_PRELOAD']).toMatch(/^libkernloop-pgo-runtime-cuda\.so/);
    expect(config()).toMatchObject({ gates: ['use'] });
    expect(config()['arguments']).toEqual(expect.arrayContaining(['-x', 'cuda', `--cuda-path=${root}`]));
  });

  const cudaToolkit = (): string => {
    workspace.write('cuda/include/cuda_runtime.h', '');
    workspace.write('cuda/nvvm/libdevice/libdevice.10.bc', '');
    chmodSync(workspace.write('cuda/bin/ptxas', ''), 0o755);
    return workspace.path('cuda');
  };

  it('builds what another machine asked for and measured, and runs nothing', async () => {
    const cache = 'app/.kernloop/pgo/runtime';
    const asked: string[] = [];
    const builder: FakeProgram = ({ args, print }) => {
      asked.push(args.join(' '));
      print({ event: 'entry', instrumented: '/i', production: '', profile: null, profiles: asked.length - 1 });
      return 0;
    };
    const deps = depsWith({ 'kernloop-pgo-runtime': builder });
    await expect(run(deps, { phase: 'build' })).rejects.toMatchObject({ code: 'PGO_PROFILE_MISSING' });
    for (const name of ['a', 'b']) workspace.write(`${cache}/${name}/request.json`, { target: 'gfx90a' });
    const { built } = await run(deps, { phase: 'build' });
    expect(asked).toEqual(
      ['a', 'b'].map((name) => expect.stringMatching(new RegExp(`^build --config .*/${name}$`)) as string),
    );
    expect(built.map(({ instrumented, profiles }) => [instrumented, profiles])).toEqual([
      [true, 0],
      [true, 1],
    ]);
    expect(deps.calls.some(({ program }) => program === 'program')).toBe(false);
    rmSync(workspace.path('llvm/bin/clang++'));
    await expect(run(deps, { phase: 'build' })).rejects.toMatchObject({ code: 'ENVIRONMENT_LLVM_MISSING' });
  });
});
