import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nativeDirectory, repository, run, type Outcome } from './harness';
import { Workspace } from './in-process';
import type { CaptureJson, SelfcheckJson } from './probe';

/**
 * The cuda device from the command line to the verdict, on the driver without a GPU (native/fakes/cuda): real cubins,
 * real agent, recorder and replay. Its times are not those of a GPU.
 */
const fake = join(nativeDirectory, 'lib', 'cuda-fake');
const cubins = join(repository, 'native', 'fakes', 'cuda', 'test', 'data');
const cubin = (name: string): string => join(cubins, `${name}.sm_90.cubin`);
const program = join(repository, '.kernloop', 'e2e', 'cuda-probe');

describe('the cuda device, without a GPU', () => {
  let workspace: Workspace;

  beforeAll(async () => {
    mkdirSync(join(repository, '.kernloop', 'e2e'), { recursive: true });
    const source = join(repository, 'e2e', 'fixtures', 'cuda-fake', 'probe.cpp');
    const built = await run('c++', ['-std=c++20', '-O1', '-o', program, source, '-ldl']);
    expect([built.code, built.text]).toEqual([0, '']);
    workspace = Workspace.create([]);
    addApp('probe', 'saxpy', { name: 'saxpy', match: '^saxpy\\(', ordinal: 2 });
    const extracted = await kernloop(['extract', '--app', 'apps/probe']);
    expect([extracted.code, extracted.text]).toEqual([0, expect.any(String)]);
  });
  afterAll(() => workspace.remove());

  function addApp(name: string, mode: string, kernel: object, code = cubin('test_kernels')): string {
    const command = [program, code, mode];
    workspace.write(`apps/${name}/kernloop.json`, { name, device: 'cuda', command, kernels: [kernel] });
    return `apps/${name}`;
  }

  const environment = { LD_LIBRARY_PATH: fake };
  const kernloop = (args: string[], env: Record<string, string> = {}): Promise<Outcome> =>
    workspace.kernloop(args, { env: { ...environment, ...env } });
  const reproducer = 'kernels/probe/saxpy';
  const validate = (...args: string[]): Promise<Outcome> => kernloop(['validate', reproducer, ...args]);

  it('captures what the kernel reaches of an unmodified program, which replays to what the program computed', async () => {
    const capture = workspace.json<CaptureJson>(`${reproducer}/capture/capture.json`);
    expect(capture.kernel.symbol).toBe('_Z5saxpyfPKfPfi');
    expect(capture.regions.map(({ size }) => size)).toEqual([20_000, 20_000]);
    expect(capture.scope.tracked_bytes).toBeGreaterThan(4 << 20);
    expect(workspace.json<SelfcheckJson>(`${reproducer}/capture/selfcheck.json`).verdict).toBe('verified');

    expect((await kernloop(['replay', reproducer, '--dump', workspace.path('dump')])).code).toBe(0);
    const bytes = readFileSync(workspace.path('dump', `${capture.regions[1]?.id}.bin`));
    const y = Array.from({ length: 5000 }, (_, index) => bytes.readFloatLE(4 * index));
    // y = 2.5 x + y twice, with x increased by one the second time: every step is exact in a float.
    expect(y).toEqual(y.map((_, index) => 2.75 * (index + 1) + 2.5));
  });

  it('passes the captured code, in one fresh process after the other', async () => {
    for (let round = 0; round < 5; round += 1) {
      const outcome = await validate('--variant', 'none');
      expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/Result: PASS \(41,044 bytes/)]);
    }
  });

  it('fails a kernel that does nothing', async () => {
    const outcome = await validate('--variant', cubin('do_nothing'));
    expect([outcome.code, outcome.text]).toEqual([1, expect.stringMatching(/Result: FAIL/)]);
  });

  it('fails a kernel that is one ULP wrong, and passes it under a tolerance of one ULP', async () => {
    const exact = await validate('--variant', cubin('one_ulp_wrong'));
    expect([exact.code, exact.text]).toEqual([1, expect.stringMatching(/Result: FAIL \(5,000 of/)]);
    const tolerated = await validate('--variant', cubin('one_ulp_wrong'), '--ulp', '1');
    expect([tolerated.code, tolerated.text]).toEqual([
      0,
      expect.stringMatching(/5,000 of 5,000 elements differ within/),
    ]);
    const tooStrict = await validate('--variant', cubin('one_ulp_wrong'), '--rtol', '1e-9');
    expect(tooStrict.code).toBe(1);
  });

  it('replays a variant that keeps its PTX with random delays as well: ptxas makes the code, and the parameters are launched', async () => {
    const ptxas = join(repository, 'python/.venv/lib/python3.11/site-packages/triton/backends/nvidia/bin');
    const source = workspace.path('delayed.ptx');
    workspace.write(
      'delayed.ptx',
      `.version 8.0 .target sm_90 .address_size 64
.visible .entry _Z5saxpyfPKfPfi(.param .f32 a, .param .u64 x, .param .u64 y, .param .u32 n) {
.reg .b64 %rd<3>; .reg .f32 %f<2>;
ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2;
ld.global.f32 %f1, [%rd1]; st.global.f32 [%rd2], %f1; ret; }`,
    );
    const variant = workspace.path('delayed.cubin');
    const assembled = await run(join(ptxas, 'ptxas'), ['-arch=sm_90', '-lineinfo', '-o', variant, source]);
    expect([assembled.code, assembled.text]).toEqual([0, '']);
    const env = { PATH: `${ptxas}:${process.env['PATH'] ?? ''}` };
    const outcome = await kernloop(['validate', reproducer, '--variant', variant], env);
    expect([outcome.code, outcome.text]).toEqual([
      0,
      expect.stringMatching(/PASS .*the same in 4 replays with random delays.* half of the blocks late/),
    ]);
    const { delays } = workspace.json<{ delays: object }>(`${reproducer}/report.json`);
    expect(delays).toMatchObject({ judged: true, sites: 2, left: 0, of_halves: 8 });
  });

  it('measures the captured code and a variant in turns', async () => {
    const wrong = ['--variant', cubin('one_ulp_wrong')];
    const outcome = await kernloop(['replay', reproducer, ...wrong, '--compare', '--explain', '--json']);
    expect(outcome.code).toBe(0);
    const { result } = JSON.parse(outcome.stdout) as { result: { samples: number[]; speed: object } };
    expect(result).toMatchObject({
      iterations: 30,
      timer: 'cupti',
      cache: 'warm',
      speed: { rounds: 15, processes: 3 },
      check: { captured: { differing_bytes: 0 }, variant: { differing_bytes: 5000 } },
      // Blocks of whole warps, few registers, no local memory: nothing limits either.
      explanation: {
        position: null,
        advice: [],
        not_told: [expect.stringMatching(/only the software GPU counts them/)],
      },
      baseline: { explanation: { advice: [] } },
    });
    expect(result.samples).toHaveLength(30);
  });

  it('says that an address cannot be had, instead of replaying elsewhere', async () => {
    const [region] = workspace.json<CaptureJson>(`${reproducer}/capture/capture.json`).regions;
    const outcome = await kernloop(['replay', reproducer], {
      KERNLOOP_FAKE_CUDA_REFUSE_ADDRESS: region?.base ?? '',
    });
    expect([outcome.code, outcome.text]).toEqual([5, expect.stringMatching(/ADDRESS_TAKEN/)]);
  });

  it('judges through Nx, once for the same bytes', async () => {
    const target = ['run', 'probe-saxpy:validate'];
    const first = await workspace.nx(target, { env: environment });
    expect([first.code, first.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
    const second = await workspace.nx(target, { env: environment });
    expect([second.code, second.text]).toEqual([0, expect.stringMatching(/cache/)]);
  });

  it('ranks the kernels of all processes by GPU time', async () => {
    addApp('children', 'children', { name: 'saxpy', match: '^saxpy\\(' });
    const outcome = await kernloop(['profile', '--app', 'apps/children']);
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/GPU time, µs .*registers .*occupancy/)]);
    const profile = workspace.json<{ processes: number; kernels: object[] }>('apps/children/.kernloop/profile.json');
    expect(profile).toMatchObject({ work: 'duration_ns', processes: 2, dispatches: 12 });
    expect(profile.kernels).toHaveLength(2);
    for (const kernel of profile.kernels)
      expect(kernel).toMatchObject({
        dispatches: 6,
        local_bytes_per_thread: 0,
        geometries: [{ grid_blocks: [40, 1, 1], block_threads: [128, 1, 1], dispatches: 6 }],
      });
  });

  it('ends a variant that hangs, faults or writes beside its output, each by its name', async () => {
    const variants = join(repository, 'native', 'replay', 'test', 'data');
    const variant = (name: string): string => join(variants, `replay_${name}.cubin`);
    addApp('fill', 'fill', { name: 'fill', match: '^replay_fill' }, variant('baseline'));
    const extracted = await kernloop(['extract', '--app', 'apps/fill']);
    expect([extracted.code, extracted.text]).toEqual([0, expect.any(String)]);
    const judge = (name: string, ...args: string[]): Promise<Outcome> =>
      kernloop(['validate', 'kernels/fill/fill', '--variant', variant(name), ...args]);
    const hang = await judge('spin', '--limit-seconds', '1');
    expect([hang.code, hang.text]).toEqual([4, expect.stringMatching(/ran past its limit.*replay_fill/)]);
    const wild = await judge('wild');
    expect([wild.code, wild.text]).toEqual([4, expect.stringMatching(/the device faulted.*replay_fill/)]);
    const beyond = await judge('beyond');
    expect([beyond.code, beyond.text]).toEqual([1, expect.stringMatching(/padding \(around 0x/)]);
    const untouched = await judge('baseline');
    expect([untouched.code, untouched.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
  });

  it('tells a sum that depends on the order from a wrong one', async () => {
    addApp('sum', 'sum', { name: 'sum', match: '^atomic_sum\\(' });
    const outcome = await kernloop(['extract', '--app', 'apps/sum']);
    expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
    const { verdict, varying } = workspace.json<SelfcheckJson>('kernels/sum/sum/capture/selfcheck.json');
    expect([verdict, varying.map(({ dtype, count }) => [dtype, count])]).toEqual(['nondeterministic', [['f32', 1]]]);
    expect((await kernloop(['validate', 'kernels/sum/sum'])).code).toBe(0);
    expect((await kernloop(['validate', 'kernels/sum/sum', '--variant', cubin('do_nothing')])).code).toBe(1);
  });

  const selfcheck = (app: string, kernel: string): SelfcheckJson =>
    workspace.json<SelfcheckJson>(`kernels/${app}/${kernel}/capture/selfcheck.json`);
  const situation = (app: string, ...command: string[]): object => ({
    name: app,
    device: 'cuda',
    command: [join(nativeDirectory, 'bin', 'cuda_app'), ...command],
  });

  it('captures kernels that run as nodes of a graph only, which the program does not notice', async () => {
    const kernels = [
      { name: 'saxpy', match: '^saxpy\\(', ordinal: 3 },
      { name: 'add', match: '^add_in_place\\(', ordinal: 14 },
    ];
    workspace.write('apps/graphs/kernloop.json', { ...situation('graphs', 'graph-branches'), kernels });
    const profiled = await kernloop(['profile', '--app', 'apps/graphs']);
    expect([profiled.code, profiled.text]).toEqual([0, expect.any(String)]);
    const profile = workspace.json<{ kernels: { symbol: string; dispatches: number }[] }>(
      'apps/graphs/.kernloop/profile.json',
    );
    expect(new Map(profile.kernels.map(({ symbol, dispatches }) => [symbol, dispatches]))).toEqual(
      new Map([
        ['_Z12add_in_placePffi', 15],
        ['_Z5saxpyfPKfPfi', 8],
      ]),
    );
    const extracted = await kernloop(['extract', '--app', 'apps/graphs']);
    expect([extracted.code, extracted.text]).toEqual([0, expect.stringContaining('graph-branches: done')]);
    expect(kernels.map(({ name }) => selfcheck('graphs', name).verdict)).toEqual(['verified', 'verified']);
    const nothing = await kernloop(['validate', 'kernels/graphs/saxpy', '--variant', cubin('do_nothing')]);
    expect([nothing.code, nothing.text]).toEqual([1, expect.stringMatching(/Result: FAIL/)]);
  });

  it('lets the self-check say whether memory that nobody was seen to allocate is used', async () => {
    const stale = { name: 'table', match: '^large_parameters\\(' };
    workspace.write('apps/stale/kernloop.json', { ...situation('stale', 'untracked'), kernels: [stale] });
    const refused = await kernloop(['capture', '--app', 'apps/stale', '--untracked-memory', 'refuse']);
    expect([refused.code, refused.text]).toEqual([1, expect.stringMatching(/UNTRACKED_MEMORY/)]);
    const warned = await kernloop(['capture', '--app', 'apps/stale']);
    expect([warned.code, warned.text]).toEqual([0, expect.stringMatching(/offset 4800 .*self-check/)]);
    expect(selfcheck('stale', 'table').verdict).toBe('verified');
    const used = { name: 'add', match: '^add_in_place\\(' };
    workspace.write('apps/used/kernloop.json', { ...situation('used', 'untracked', '2'), kernels: [used] });
    const failed = await kernloop(['capture', '--app', 'apps/used']);
    expect([failed.code, failed.text]).not.toEqual([0, expect.anything()]);
    expect(selfcheck('used', 'add').verdict).toBe('failed');
  });

  describe('where a program launches a kernel several times', () => {
    const saxpy = { name: 'saxpy', match: '^saxpy\\(' };
    const folder = 'kernels/shapes/saxpy';
    beforeEach(() => {
      addApp('shapes', 'shapes', saxpy);
    });
    const capture = (...args: string[]): Promise<Outcome> => kernloop(['capture', '--app', 'apps/shapes', ...args]);
    /** Number, blocks, and the first elements of x and y before the dispatch, from the manifests of all captures. */
    async function captured(): Promise<[string, number, number[]][]> {
      const further = existsSync(workspace.path(folder, 'captures'))
        ? readdirSync(workspace.path(folder, 'captures'))
        : [];
      const folders = ['capture', ...further.map((name) => `captures/${name}`)];
      return Promise.all(
        folders.map(async (name) => {
          const { dispatch, geometry, regions } = workspace.json<CaptureJson>(`${folder}/${name}/capture.json`);
          const dump = workspace.path('dumps', randomUUID());
          const args = ['--capture', workspace.path(folder, name), '--dump', dump, '--dump-time', 'pre'];
          const replayed = await run(join(nativeDirectory, 'bin', 'kernloop-replay'), args, { env: environment });
          expect([replayed.code, replayed.text]).toEqual([0, expect.any(String)]);
          const first = regions.map(({ id }) => readFileSync(join(dump, `${id}.bin`)).readFloatLE(0));
          return [`${name} is ${dispatch.ordinal}`, geometry.grid_blocks[0]!, first];
        }),
      );
    }

    it('takes each geometry once, and judges a variant by all of them', async () => {
      addApp('shapes', 'shapes', { ...saxpy, each: 'geometry' });
      const extracted = await kernloop(['extract', '--app', 'apps/shapes']);
      expect([extracted.code, extracted.text]).toEqual([0, expect.any(String)]);
      expect(await captured()).toEqual([
        ['capture is 1', 40, [0.5, 0.25]],
        ['captures/2 is 2', 20, [1.5, 1.5]],
      ]);
      const untouched = await kernloop(['validate', folder]);
      expect([untouched.code, untouched.text]).toEqual([0, expect.stringMatching(/PASS \(2 captured dispatches: /)]);
      const wrong = await kernloop(['validate', folder, '--variant', cubin('one_ulp_wrong')]);
      expect([wrong.code, wrong.text]).toEqual([
        1,
        expect.stringMatching(
          /dispatch 2 \(captures\/2\): FAIL \(2,500 of[^]*FAIL \(0 of 2 captured dispatches pass; /,
        ),
      ]);
    });

    it('takes ranges, says where one runs off the end, and keeps to a number of captures', async () => {
      const off = await capture('--dispatch', '2,4-6', '--no-self-check');
      expect([off.code, off.text]).toEqual([
        2,
        expect.stringMatching(/dispatch 5-6 was asked for, but only 4 matched/),
      ]);
      expect(await captured()).toEqual([
        ['capture is 2', 20, [1.5, 1.5]],
        ['captures/4 is 4', 20, [2.5, 9]],
      ]);
      const limited = await capture('--dispatch', '2-', '--limit', '2', '--no-self-check');
      expect([limited.code, limited.text]).toEqual([0, expect.stringMatching(/limit/)]);
      expect((await captured()).map(([name]) => name)).toEqual(['capture is 2', 'captures/3 is 3']);
    });

    it('takes the last dispatch, and the first one behind another kernel', async () => {
      expect((await capture('--dispatch', 'last', '--no-self-check')).code).toBe(0);
      expect(await captured()).toEqual([['capture is 4', 20, [2.5, 9]]]);
      expect((await capture('--after', '^add_in_place', '--after-count', '2', '--no-self-check')).code).toBe(0);
      expect(await captured()).toEqual([['capture is 1', 20, [2.5, 9]]]);
    });

    it('says beforehand what a capture takes, writes nothing then, and keeps to a limit to the byte', async () => {
      const output = workspace.path('planned');
      const args = ['--output', output, '--no-self-check', '--json'];
      const dry = await capture(...args, '--dry-run');
      expect([dry.code, existsSync(output)]).toEqual([0, false]);
      interface Size {
        scope_bytes: number;
        bytes_raw: number;
        bytes_stored: number;
      }
      const { plans } = (JSON.parse(dry.stdout) as { result: { plans: Size[] } }).result;
      const plan = plans[0]!;
      expect(plan.scope_bytes).toBeGreaterThanOrEqual(40_000);
      const below = await capture(...args, '--max-bytes', String(plan.scope_bytes - 1));
      expect([below.code, below.stdout, existsSync(output)]).toEqual([
        1,
        expect.stringContaining('BYTE_BUDGET'),
        false,
      ]);
      const exact = await capture(...args, '--max-bytes', String(plan.scope_bytes));
      expect([exact.code, exact.text]).toEqual([0, expect.any(String)]);
      const { captures } = (JSON.parse(exact.stdout) as { result: { captures: Size[] } }).result;
      expect(captures[0]).toMatchObject({ bytes_raw: plan.bytes_raw, bytes_stored: plan.bytes_stored });
    });
  });

  it('names what is in the way', async () => {
    const capture = ['capture', '--app', 'apps/probe', '--output', workspace.path('elsewhere')];
    const taken = await kernloop(capture, { KERNLOOP_FAKE_CUDA_CUPTI_TAKEN: '1' });
    expect([taken.code, taken.text]).toEqual([2, expect.stringMatching(/CUPTI_TAKEN/)]);
    const profiler = await kernloop(capture, { CUDA_INJECTION64_PATH: '/opt/profiler.so' });
    expect([profiler.code, profiler.text]).toEqual([2, expect.stringMatching(/\/opt\/profiler\.so/)]);
    const none = await kernloop(capture, { KERNLOOP_FAKE_CUDA_DEVICES: '0' });
    expect([none.code, none.text]).toEqual([5, expect.stringMatching(/NO_DEVICE/)]);
    addApp('idle', 'idle', { name: 'k', match: 'k' });
    const idle = await kernloop(['capture', '--app', 'apps/idle']);
    expect([idle.code, idle.text]).toEqual([2, expect.stringMatching(/NO_DISPATCH/)]);
    expect(existsSync(workspace.path('elsewhere'))).toBe(false);
  });

  it('captures and replays on the GPU that was asked for', async () => {
    const output = workspace.path('second');
    const two = { KERNLOOP_FAKE_CUDA_DEVICES: '2' };
    const outcome = await kernloop(['capture', '--app', 'apps/probe', '--output', output, '--gpu', '1'], two);
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/verified/)]);
    const identity = (folder: string): string =>
      workspace.json<{ device: { identity: string } }>(`${folder}/capture.json`).device.identity;
    expect(identity('second')).not.toBe(identity(`${reproducer}/capture`));
    // Kernloop limited the app to one GPU: the first that it saw was the machine's second.
    expect(outcome.text).toContain('on 0000:1A:00.0');
    const missing = await kernloop(['capture', '--app', 'apps/probe', '--output', output, '--gpu', '2'], two);
    expect([missing.code, missing.text]).toEqual([5, expect.stringMatching(/there is no CUDA device 2/)]);
  });
});
