import { failure } from '../testing/failure';
import { fakeDeps, type FakeProgram } from '../testing/fake-deps';
import { cudaDevice, fakeReplay, flag } from '../testing/fake-programs';
import { TestWorkspace } from '../testing/workspace';
import { agentEnvironment } from './agent';
import { cudaMajor } from './cuda';
import { openDevice } from './open-device';

describe('the cuda device', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const deps = (replay: FakeProgram = fakeReplay(() => [cudaDevice])) =>
    fakeDeps({ 'kernloop-replay': replay }, workspace.native);
  const open = (gpu?: string, fake = deps()) => openDevice({ device: 'cuda', softgpu: '', gpu }, fake);

  it('is described by the driver, and measures time', async () => {
    const { description, work, seeded } = await open();
    expect(description).toMatchObject({ kind: 'cuda', isa: 'sm_90', name: 'NVIDIA H200', wavefront_size: 32 });
    expect([work, seeded]).toEqual(['duration_ns', false]);
  });

  it.each([['name'], ['isa'], ['uuid'], ['driver_version'], ['cuda_version']])(
    'is another device with another %s',
    async (field) => {
      const before = (await open()).description.identity;
      const value =
        field === 'isa'
          ? 'sm_80'
          : field === 'driver_version'
            ? '590.1'
            : field === 'cuda_version'
              ? '13.1'
              : 'GPU-ffffffff-0000-0000-0000-000000000001';
      const other = deps(fakeReplay(() => [{ ...cudaDevice, [field]: value }]));
      expect((await open(undefined, other)).description.identity).not.toBe(before);
    },
  );

  it('has a lock of its own for each GPU', async () => {
    const second = deps(fakeReplay(() => [{ ...cudaDevice, uuid: 'GPU-ffffffff-0000-0000-0000-000000000001' }]));
    const [a, b] = [(await open()).lock, (await open(undefined, second)).lock];
    expect(a).toContain(cudaDevice.uuid);
    expect(a).not.toBe(b);
  });

  it('lets the app see what it sees by itself, or the one GPU that was asked for', async () => {
    expect((await open()).env).toEqual({});
    expect((await open('1')).env).toEqual({ CUDA_VISIBLE_DEVICES: cudaDevice.uuid });
  });

  it("has the tools of CUDA, and takes the system's driver", async () => {
    const { runtime, hasNvrtc, hasSanitizer } = await open();
    expect([runtime, hasNvrtc, hasSanitizer]).toEqual([null, true, true]);
  });

  it('finds a GPU by number among the visible ones, and by UUID alone', async () => {
    const fake = deps();
    await open('1', fake);
    await open('GPU-12345678-0000-0000-0000-000000000000', fake);
    const [byNumber, byUuid] = fake.calls;
    expect([flag(byNumber?.args ?? [], '--device'), byNumber?.env['CUDA_VISIBLE_DEVICES']]).toEqual(['1', undefined]);
    expect([flag(byUuid?.args ?? [], '--device'), byUuid?.env['CUDA_VISIBLE_DEVICES']]).toEqual([
      '0',
      'GPU-12345678-0000-0000-0000-000000000000',
    ]);
  });

  it('takes a UUID with or without the prefix that nvidia-smi prints', async () => {
    const bare = deps(fakeReplay(() => [{ ...cudaDevice, uuid: cudaDevice.uuid.slice(4) }]));
    expect((await open('0', bare)).env).toEqual({ CUDA_VISIBLE_DEVICES: cudaDevice.uuid });
  });

  it.each(['first', '-1', '0,1', 'GPU-', '../x'])('refuses --gpu %s before anything is started', async (gpu) => {
    const fake = deps();
    expect(await failure(open(gpu, fake))).toMatchObject({ code: 'USAGE', exitCode: 2 });
    expect(fake.calls).toEqual([]);
  });

  it('passes on what the driver says of its absence', async () => {
    const error = {
      event: 'error',
      code: 'ENVIRONMENT_CUDA_DRIVER_MISSING',
      message: 'no libcuda.so.1',
      hint: 'install it',
    };
    expect(await failure(open(undefined, deps(fakeReplay(() => [error]))))).toMatchObject({
      code: 'ENVIRONMENT_CUDA_DRIVER_MISSING',
      exitCode: 5,
      hint: 'install it',
    });
  });

  it('is an error where the replay program describes nothing, or something else', async () => {
    expect(
      await failure(
        open(
          undefined,
          deps(() => 0),
        ),
      ),
    ).toMatchObject({ code: 'NATIVE_FAILED' });
    const malformed = deps(fakeReplay(() => [{ ...cudaDevice, isa: '90' }]));
    expect(await failure(open(undefined, malformed))).toMatchObject({ code: 'NATIVE_FAILED' });
  });

  it('puts its agent into the place that the driver has for one, and refuses to take it from a profiler', async () => {
    const device = await open();
    const library = workspace.native.agentCuda;
    expect(agentEnvironment(device, '/bin/app', {})).toMatchObject({ CUDA_INJECTION64_PATH: library });
    expect(agentEnvironment(device, '/bin/app', { HSA_TOOLS_LIB: '/x.so' })).not.toHaveProperty('HSA_TOOLS_LIB');
    const act = () => agentEnvironment(device, '/bin/app', { CUDA_INJECTION64_PATH: '/opt/nsys/libinjection.so' });
    expect(act).toThrow('/opt/nsys/libinjection.so');
    expect(() => agentEnvironment(device, '/bin/app', { CUDA_INJECTION64_PATH: library })).not.toThrow();
  });

  it.each([
    ['13.0', 13],
    ['12.4', 12],
    ['580.65.06', null],
    [undefined, null],
  ])('reads CUDA version %s as %s', (text, major) => {
    expect(cudaMajor(text)).toBe(major);
  });
});
