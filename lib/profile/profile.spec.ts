import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '../testing/failure';
import { fakeDeps, type FakeDeps } from '../testing/fake-deps';
import { fakeCudaReplay, fakeLock, fakeRecorder } from '../testing/fake-programs';
import { TestWorkspace } from '../testing/workspace';
import { profileOptionsSchema } from './options';
import { profile } from './profile';

describe('profile', () => {
  let workspace: TestWorkspace;

  beforeEach(() => {
    workspace = new TestWorkspace();
  });
  afterEach(() => workspace.dispose());

  const options = (overrides: object = {}) => profileOptionsSchema.parse({ app: workspace.app, ...overrides });
  const row = (name: string, total: number, overrides: object = {}) => ({
    name,
    symbol: `_Z${name}`,
    code_object: 'c',
    unit: 'wave_instructions',
    dispatches: 1,
    total,
    min: total,
    median: total,
    max: total,
    geometries: [{ grid_blocks: [4, 1, 1], block_threads: [64, 1, 1], dispatches: 1 }],
    ...overrides,
  });

  function deps(rows: { dispatches: number }[], summary: object = {}, appExit = 0): FakeDeps {
    const dispatches = rows.reduce((sum, measured) => sum + measured.dispatches, 0);
    const recorder = fakeRecorder({
      play: () => undefined,
      summary: { dispatches, kernels: [], kernel_profile: rows, ...summary },
    });
    return fakeDeps({ ldd: () => 1, program: () => appExit, 'kernloop-recorder': recorder }, workspace.native);
  }

  it('ranks kernels by what they executed, not by how often they ran', async () => {
    const often = row('often', 70, { dispatches: 3, min: 10, median: 20, max: 40 });
    const result = await profile(options(), deps([often, row('once', 930)]));
    expect(result.kernels).toMatchObject([
      { name: 'once', share: 0.93, dispatches: 1 },
      { name: 'often', share: 0.07, dispatches: 3, min: 10, median: 20, max: 40 },
    ]);
    expect(result).toMatchObject({ total: 1000, dispatches: 4 });
    expect(JSON.parse(readFileSync(join(workspace.app, '.kernloop', 'profile.json'), 'utf8'))).toEqual(result);
  });

  it('shows what a program launched that failed afterwards, keeps nothing, and is an error', async () => {
    const fake = deps([row('once', 930)], {}, 134);
    const error = await failure(profile(options(), fake));
    expect([error.code, error.what]).toEqual([
      'APP_FAILED',
      expect.stringContaining('failed after these launches: ./program exited with code 134'),
    ]);
    expect(fake.said.result.join('\n')).toContain('once');
    expect(error.hint).toContain('can be captured and extracted all the same');
    expect(existsSync(join(workspace.app, '.kernloop', 'profile.json'))).toBe(false);
  });

  it('says how many launches were measured if the program ended before the last of them', async () => {
    const error = await failure(profile(options(), deps([row('once', 930)], { dispatches: 8 }, 3)));
    expect([error.code, error.what]).toEqual([
      'APP_FAILED',
      expect.stringContaining('failed before all of its launches were measured (1 of 8): ./program exited with code 3'),
    ]);
    expect(error.hint).toMatch(/^run it again; `extract -k`/);
    const ended = await failure(profile(options(), deps([row('once', 930)], { dispatches: 8 }, 0)));
    expect(ended.what).toMatch(/ended before all of its launches were measured \(1 of 8\)$/);
    expect(ended.hint).toContain('_exit');
  });

  describe('of a command', () => {
    const rows = [70, 60, 50, 40].map((total, index) => row(`kernel${index}(float*)`, total));
    const command = ['./program', '--size', '3 4'];

    it('runs it as it is, shows the costliest kernels, and says the next command', async () => {
      rmSync(join(workspace.app, 'kernloop.json'));
      const fake = deps(rows);
      await profile(options({ command, top: 3 }), fake);
      expect(fake.said.result.slice(1)).toEqual([
        expect.stringContaining('kernel0(float*)'),
        expect.stringContaining('kernel1(float*)'),
        expect.stringContaining('kernel2(float*)'),
        'and 1 more kernel: --top 4 prints all',
        `Next, make a kernel a project: kernloop extract --app ${workspace.app} -k kernel0 -- ./program --size '3 4'`,
      ]);
      expect(fake.said.info.join()).toContain('device: the software GPU as gfx90a (program shows no device code');
      const saved = readFileSync(join(workspace.app, '.kernloop', 'profile.json'), 'utf8');
      expect(JSON.parse(saved)).toMatchObject({ app: 'program', dispatches: 4 });
    });

    it('is not kept as the profile of an app that runs another command', async () => {
      const fake = deps(rows);
      await profile(options({ command }), fake);
      expect(existsSync(join(workspace.app, '.kernloop', 'profile.json'))).toBe(false);
      expect(fake.said.info.join()).toContain('not kept: kernloop.json here runs ./program;');
      const output = join(workspace.app, 'mine.json');
      await profile(options({ command, output }), fake);
      expect(existsSync(output)).toBe(true);
    });

    it.each([
      ['./progam', 'does not exist', 'did you mean ./program?'],
      ['./data', 'is not an executable file', 'chmod +x ./data'],
      ['progam', '"progam" is not on the PATH', 'write ./progam for'],
    ])('is refused for %s in words of the command line', async (name, what, hint) => {
      workspace.write('app/data', 'text');
      const fake = deps(rows);
      const beside = await failure(profile(options({ command: [name] }), fake));
      rmSync(join(workspace.app, 'kernloop.json'));
      const error = await failure(profile(options({ command: [name] }), fake));
      expect([beside.what, beside.hint]).toEqual([error.what, error.hint]);
      expect([error.code, error.what, error.hint]).toEqual([
        'APP_NOT_FOUND',
        expect.stringContaining(what),
        expect.stringContaining(hint),
      ]);
      expect(`${error.what} ${error.hint}`).not.toContain('kernloop.json');
      expect(fake.calls).toEqual([]);
    });
  });

  it('replaces what it wrote, and no file of the user, before the app runs', async () => {
    await profile(options(), deps([row('one', 70)]));
    await profile(options(), deps([row('one', 70)]));
    const mine = workspace.write('app/.kernloop/profile.json', '{"mine": 1}');
    const fake = deps([row('one', 70)]);
    expect((await failure(profile(options(), fake))).code).toBe('TARGET_EXISTS');
    expect([readFileSync(mine, 'utf8'), fake.calls]).toEqual(['{"mine": 1}', []]);
  });

  it('names the unit wave-instructions on the software GPU, and no time', async () => {
    const fake = deps([row('k', 10)]);
    expect(await profile(options(), fake)).toMatchObject({ work: 'wave_instructions', total: 10 });
    expect(fake.said.result[0]).toContain('wave-instructions');
    expect(fake.said.result.join()).not.toMatch(/\bns\b/);
  });

  it('keeps when launches ran if asked, each with the place of its kernel in the file', async () => {
    const launch = { start_ns: '1152921504606846977', end_ns: '1152921504606846997', device: 1, stream: 7 };
    const rows = [row('less', 1, { unit: 'wave_instructions' }), row('more', 2)];
    const summary = {
      kernel_launches: {
        left_out: 3,
        rows: [
          { ...launch, kernel: 0 },
          { ...launch, kernel: 1 },
        ],
      },
    };
    const { kernels, launches } = await profile(options({ launches: true }), deps(rows, summary));
    expect(kernels.map(({ name }) => name)).toEqual(['more', 'less']);
    expect(launches).toMatchObject({ left_out: 3, rows: [{ ...launch, kernel: 1 }, { kernel: 0 }] });
    expect(launches?.boot).toMatch(/^[0-9a-f-]{36}$/);
    expect(await profile(options(), deps(rows, summary))).not.toHaveProperty('launches');
    expect((await failure(profile(options({ launches: true }), deps(rows)))).code).toBe('USAGE');
  });

  it('keeps kernels of the same name in different code objects apart', async () => {
    const rows = [row('k', 1), row('k', 2, { code_object: 'd' })];
    expect((await profile(options(), deps(rows))).kernels).toHaveLength(2);
  });

  it.each([
    ['a failing app', {}, 3, 'APP_FAILED', 2],
    ['an app that launches nothing', { dispatches: 0 }, 0, 'NO_DISPATCH', 2],
    ['an app without a GPU runtime', { processes: 0 }, 0, 'NO_AGENT', 2],
    ['measurements that were lost', { dispatches: 2 }, 0, 'NATIVE_FAILED', 5],
  ])('is an error for %s', async (_name, summary, appExit, code, exitCode) => {
    expect(await failure(profile(options(), deps([row('k', 1)], summary, appExit)))).toMatchObject({ code, exitCode });
  });

  it.each([
    ['in the error where the app ends as if nothing had been', 0, [true, 0]],
    ['as a warning where the app failed and the error has its words', 1, [false, 1]],
  ])('says once that a queue reported an error: %s', async (_name, appExit, [isInError, warnings]) => {
    const text = 'queue 0 reported error 0x2b';
    const recorder = fakeRecorder({
      play: (_config, print) => print({ event: 'note', code: 'DEVICE_FAULT', text }),
      summary: { dispatches: 2, kernel_profile: [row('k', 1)] },
    });
    const fake = fakeDeps({ ldd: () => 1, program: () => appExit, 'kernloop-recorder': recorder }, workspace.native);
    const error = await failure(profile(options(), fake));
    expect(error.code).toBe('DEVICE_FAULT');
    expect(error.what.includes(text)).toBe(isInError);
    expect(fake.said.warn.filter((line) => line.includes(text))).toHaveLength(Number(warnings));
  });

  it('is an error where a dispatch faulted, even if the app ends as if nothing had been', async () => {
    const text = 'queue 0 reported error 0x2b';
    const recorder = fakeRecorder({
      play: (_config, print) => print({ event: 'note', code: 'DEVICE_FAULT', text }),
      summary: { dispatches: 2, kernel_profile: [row('k', 1)] },
    });
    const fake = fakeDeps({ ldd: () => 1, program: () => 0, 'kernloop-recorder': recorder }, workspace.native);
    const error = await failure(profile(options(), fake));
    expect(error).toMatchObject({ code: 'DEVICE_FAULT', exitCode: 4 });
    expect(error.what).toContain(text);
  });

  it.each([
    ['memory access outside of every allocation in kernel k', /^mend the kernel/],
    ['unsupported instruction in kernel k at pc 0x10', /^the software GPU lacks this/],
    ['instruction limit reached in kernel k', /KERNLOOP_SOFTGPU_MAX_INSTRUCTIONS/],
  ])('says what to do about "%s", which the app printed before it failed', async (text, hint) => {
    const recorder = fakeRecorder({
      play: (_config, print) => print({ event: 'note', code: 'DEVICE_FAULT', text: '' }),
    });
    const program = () => ({ exitCode: 1, stderrTail: `kernloop softgpu: ${text}\n` });
    const fake = fakeDeps({ ldd: () => 1, program, 'kernloop-recorder': recorder }, workspace.native);
    const error = await failure(profile(options(), fake));
    expect(error).toMatchObject({ code: 'DEVICE_FAULT', exitCode: 4, hint: expect.stringMatching(hint) as string });
    expect(error.what).toContain(text);
  });

  it('names the module that the Python of the app lacks', async () => {
    const program = () => ({
      exitCode: 1,
      stderrTail: "Traceback (most recent call last):\nModuleNotFoundError: No module named 'torch.nn'\n",
    });
    const recorder = fakeRecorder({ play: () => undefined, summary: { processes: 0 } });
    const fake = fakeDeps({ ldd: () => 1, program, 'kernloop-recorder': recorder }, workspace.native);
    const error = await failure(profile(options(), fake));
    expect(error).toMatchObject({ code: 'APP_FAILED', hint: expect.stringContaining('no module torch.nn:') as string });
    expect(error.hint).not.toContain('stdin');
  });

  describe('of a program with code for other processors', () => {
    /** An ELF file of x86-64 with one section: a bundle with these entries. */
    const programWith = (...targets: string[]): Buffer => {
      const u64 = (value: number): Buffer => {
        const bytes = Buffer.alloc(8);
        bytes.writeBigUInt64LE(BigInt(value));
        return bytes;
      };
      const ids = ['host-x86_64-unknown-linux--', ...targets].map((id) => Buffer.from(id));
      const entries = ids.flatMap((id) => [u64(0), u64(0), u64(id.length), id]);
      const bundle = Buffer.concat([Buffer.from('__CLANG_OFFLOAD_BUNDLE__'), u64(ids.length), ...entries]);
      const names = Buffer.from('\0.hip_fatbin\0.names\0');
      const header = Buffer.alloc(64);
      header.write('\x7fELF\x02\x01\x01', 'latin1');
      header.writeUInt16LE(62, 18);
      header.writeBigUInt64LE(BigInt(64 + bundle.length + names.length), 40);
      header.writeUInt16LE(64, 58);
      header.writeUInt16LE(2, 60);
      header.writeUInt16LE(1, 62);
      const section = (name: number, offset: number, size: number): Buffer => {
        const bytes = Buffer.alloc(64);
        bytes.writeUInt32LE(name, 0);
        bytes.writeUInt32LE(1, 4);
        bytes.writeBigUInt64LE(BigInt(offset), 24);
        bytes.writeBigUInt64LE(BigInt(size), 32);
        return bytes;
      };
      const table = [section(1, 64, bundle.length), section(13, 64 + bundle.length, names.length)];
      return Buffer.concat([header, bundle, names, ...table]);
    };
    const of = (processor: string): string => `hipv4-amdgcn-amd-amdhsa--${processor}`;

    it.each([
      ['another', [of('gfx90a')], 'gfx90a', 'compile it with --offload-arch=gfx1030, or use --softgpu gfx90a'],
      ['none that we have', [of('gfx906'), of('gfx908')], 'gfx906, gfx908', 'compile it with --offload-arch=gfx1030'],
    ])('says which it has: %s', async (_name, targets, has, hint) => {
      writeFileSync(join(workspace.app, 'program'), programWith(...targets));
      for (const [exit, ending] of [
        [1, 'exited with code 1'],
        [0, 'launched no kernel'],
      ] as const) {
        const error = await failure(profile(options({ softgpu: 'gfx1030' }), deps([], { dispatches: 0 }, exit)));
        expect(error).toMatchObject({ code: 'CODE_OBJECT_TARGET', exitCode: 2, hint });
        expect(error.what).toContain(`has code for ${has}, and the device is gfx1030: `);
        expect(error.what).toContain(ending);
      }
    });

    it.each([
      ['its own', [of('gfx90a'), of('gfx1030')]],
      ['a generic one', [of('gfx10-3-generic')]],
      ['SPIR-V', [of('gfx90a'), 'hip-spirv64-amd-amdhsa--amdgcnspirv']],
    ])('blames nothing on it where it has %s', async (_name, targets) => {
      writeFileSync(join(workspace.app, 'program'), programWith(...targets));
      const error = await failure(profile(options({ softgpu: 'gfx1030' }), deps([], {}, 1)));
      expect(error.code).toBe('APP_FAILED');
    });

    it('blames it for a feature that the device has not', async () => {
      writeFileSync(join(workspace.app, 'program'), programWith(of('gfx90a:xnack+')));
      const error = await failure(profile(options({ softgpu: 'gfx90a' }), deps([], {}, 1)));
      expect(error.code).toBe('CODE_OBJECT_TARGET');
      expect(error.what).toContain('has code for gfx90a:xnack+, and the device is gfx90a:sramecc+:xnack-');
    });
  });

  it('never ranks by a time on the software GPU', async () => {
    const error = await failure(profile(options(), deps([row('k', 5, { unit: 'duration_ns' })])));
    expect(error).toMatchObject({ code: 'NATIVE_FAILED' });
    expect(error.what).toContain('duration_ns instead of wave_instructions');
  });

  describe('on the cuda device', () => {
    const onCuda = (rows: { dispatches: number }[], summary: object = {}): FakeDeps => {
      const all = rows.reduce((sum, measured) => sum + measured.dispatches, 0);
      const recorder = fakeRecorder({
        play: () => undefined,
        summary: { dispatches: all, kernels: [], kernel_profile: rows, ...summary },
      });
      const programs = { ldd: () => 1, sh: fakeLock, program: () => 0, 'kernloop-recorder': recorder };
      return fakeDeps({ ...programs, 'kernloop-replay': fakeCudaReplay() }, workspace.native);
    };
    const figures = {
      registers_per_thread: 40,
      static_shared_bytes: 1024,
      dynamic_shared_bytes: 4096,
      local_bytes_per_thread: 0,
      resident_blocks_per_multiprocessor: 6,
      occupancy_percent: 75,
    };
    const timed = (name: string, total: number, overrides: object = {}) =>
      row(name, total, { unit: 'duration_ns', p10: total, p90: total, ...overrides });

    it('ranks by GPU time, with registers, shared memory and occupancy', async () => {
      const geometry = { grid_blocks: [4, 1, 1], block_threads: [64, 1, 1], dispatches: 1, ...figures };
      const fake = onCuda([timed('short', 10_000), timed('long', 90_000, { ...figures, geometries: [geometry] })]);
      const result = await profile(options({ device: 'cuda' }), fake);
      expect(result).toMatchObject({ work: 'duration_ns', device: { kind: 'cuda' } });
      expect(result.kernels).toMatchObject([
        { name: 'long', share: 0.9, p10: 90_000, ...figures, geometries: [geometry] },
        { name: 'short', share: 0.1 },
      ]);
      const [header = '', first = '', second = ''] = fake.said.result;
      expect(header).toMatch(/GPU time, µs .*registers +shared +occupancy +kernel/);
      expect(header).not.toMatch(/wave|local/);
      expect(first).toMatch(/90\.00 .* 40 +5,120 +75 % +long/);
      expect(second).toMatch(/10\.00 .* - +- +- +short/);
    });

    it('counts the kernels of every process that the app starts', async () => {
      const fake = onCuda([timed('k', 1)], { processes: 3 });
      expect(await profile(options({ device: 'cuda' }), fake)).toMatchObject({ processes: 3 });
      expect(fake.said.result.at(-1)).toBe('over 3 processes');
    });

    it('puts the agent, and nothing of another device, into the app', async () => {
      const fake = onCuda([timed('k', 1)]);
      await profile(options({ device: 'cuda' }), fake);
      const env = fake.calls.find(({ program }) => program === 'program')?.env;
      expect(env).toMatchObject({ CUDA_INJECTION64_PATH: workspace.native.agentCuda });
      expect(env).not.toHaveProperty('HSA_TOOLS_LIB');
    });

    it.each([
      ['the agent could not work', 'CUPTI_TAKEN', { queues: 0, dispatches: 0, kernels: [] }],
      ['the agent saw a part alone', 'DESCRIPTORS_CLOSED', { kernel_profile: [timed('k', 1)] }],
    ])('says why %s, and passes on what it dropped', async (_what, code, summary) => {
      const recorder = fakeRecorder({ play: (_config, print) => print({ event: 'note', code, text: 'why' }), summary });
      const fake = fakeDeps(
        {
          ldd: () => 1,
          sh: fakeLock,
          program: () => 0,
          'kernloop-recorder': recorder,
          'kernloop-replay': fakeCudaReplay(),
        },
        workspace.native,
      );
      expect(await failure(profile(options({ device: 'cuda' }), fake))).toMatchObject({ code });
      expect(fake.said.warn).toContain(`${code}: why`);
    });

    it('speaks of the CUDA driver where it was never loaded', async () => {
      const error = await failure(profile(options({ device: 'cuda' }), onCuda([], { processes: 0, dispatches: 0 })));
      expect(error).toMatchObject({ code: 'NO_AGENT' });
      expect(error.what).toContain('the CUDA driver');
    });
  });
});
