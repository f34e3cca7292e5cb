import { join } from 'node:path';
import { builtOnce } from './fixtures';
import { repository } from './harness';
import { Workspace } from './in-process';

/** Builds a fixture, and declares it as an app of the workspace. */
async function declare(workspace: Workspace, name: string, kernels: readonly object[]): Promise<void> {
  const source = join(repository, 'e2e', 'fixtures', name);
  const build = await builtOnce(source);
  workspace.write(`apps/${name}/kernloop.json`, {
    name,
    device: 'hsa',
    command: [join(build, name)],
    source,
    compileCommands: join(build, 'compile_commands.json'),
    kernels,
  });
}

const emulated = { KERNLOOP_SOFTGPU_LEVEL: 'kfd', KERNLOOP_SOFTGPU: 'gfx90a' };

/** All stages as on hardware: the app and the replays use AMD's own ROCr and HIP, on top of an emulated driver. */
describe('the device hsa over the emulated kernel driver', () => {
  const project = 'kernels/launch/turn';
  const variant = `${project}/kernel_variant.hip`;
  const notGpu = "software GPU's time (no GPU time)";
  let workspace: Workspace;

  const kernloop = async (...words: string[]): Promise<[number, string]> => {
    const { code, text } = await workspace.kernloop(words);
    return [code, text];
  };
  const edited = async (from: string, to: string): Promise<void> => {
    workspace.edit(variant, (text) => text.replace(from, to));
    expect(await kernloop('recompile', project)).toEqual([0, expect.stringContaining('build/variant.hsaco')]);
  };

  beforeAll(async () => {
    workspace = Workspace.create([], emulated);
    await declare(workspace, 'launch', [{ name: 'turn', match: '^turn\\(' }]);
    const extracted = await kernloop('extract', '--app', 'apps/launch');
    expect(extracted).toEqual([0, expect.stringMatching(/turn .* verified /)]);
  });
  afterAll(() => workspace.remove());

  it('profiles by a time that it calls that of the software GPU', async () => {
    const [code, text] = await kernloop('profile', '--app', 'apps/launch');
    expect([code, text]).toEqual([0, expect.stringContaining(`${notGpu}, µs`)]);
    expect(text).toMatch(/100\.0 % .* turn\(float const\*, float\*\)/);
    expect(text).not.toContain('  GPU time');
    expect(workspace.json('apps/launch/.kernloop/profile.json')).toMatchObject({
      device: { kind: 'hsa', identity: expect.stringMatching(/^softgpu-kfd-gfx90a-/) as string },
    });
  });

  it("captures from AMD's own runtime", () => {
    const { device } = workspace.json<{ device: object }>(`${project}/capture/capture.json`);
    expect(device).toMatchObject({ kind: 'hsa', name: 'Software AMD gfx90a' });
    const { process } = workspace.json<{ process: { runtime: string } }>(`${project}/capture/observed.json`);
    expect(process.runtime).toMatch(/\/libhsa-runtime64\.so\.1/);
    expect(process.runtime).not.toContain('softgpu');
  });

  it('passes the captured code and an honest edit, and fails a wrong one', async () => {
    expect(await kernloop('validate', project, '--variant', 'none')).toEqual([0, expect.stringMatching(/PASS \(/)]);
    await edited('2 * in[i]', 'in[i] + in[i]');
    expect(await kernloop('validate', project)).toEqual([0, expect.stringMatching(/PASS \(/)]);
    await edited('turned[threadIdx.x] +', 'turned[threadIdx.x ^ (i == 700)] +');
    expect(await kernloop('validate', project)).toEqual([1, expect.stringMatching(/FAIL \(/)]);
    await edited('turned[threadIdx.x ^ (i == 700)] +', 'turned[threadIdx.x] +');
  });

  it('compares with times that it calls those of the software GPU', async () => {
    const [code, text] = await kernloop('replay', project, '--compare', '--iterations', '2');
    expect([code, text]).toEqual([0, expect.stringContaining(`${notGpu}, µs`)]);
    expect(text).toContain("the software GPU's times: they say nothing about a GPU");
    expect(text).not.toMatch(/^GPU time/m);
    expect(workspace.json(`${project}/build/results/compare.json`)).toMatchObject({
      result: { verdict: 'ran', timer: 'software-gpu', baseline: { timer: 'software-gpu' } },
    });
  });

  it('tunes by them, and says so', async () => {
    const [code, text] = await kernloop('tune', project, '--set', 'BOUNDS=256,64', '--iterations', '2');
    expect([code, text]).toEqual([0, expect.stringContaining(`${notGpu}, of the captured code`)]);
    expect(text).toMatch(/ 64 +- .*fail/);
  });

  it('refuses probes by name, and traces the capture on the software GPU', async () => {
    const trace = ['trace', 'run', project, '--variant', 'none', '--probe', 'block_sched'];
    expect(await kernloop(...trace)).toEqual([2, expect.stringContaining('[PROBE_UNSUPPORTED]')]);
    expect(await kernloop(...trace, '--device', 'softgpu')).toEqual([0, expect.stringContaining('block_sched')]);
  });
});

/** No ROCr loads code at the address that it had in the app. */
describe('pointers to functions on the device hsa', () => {
  const project = 'kernels/pointers/laid_out';
  let workspace: Workspace;
  let extracted: [number, string];

  const kernloop = async (...words: string[]): Promise<[number, string]> => {
    const { code, text } = await workspace.kernloop(words);
    return [code, text];
  };

  beforeAll(async () => {
    workspace = Workspace.create([], emulated);
    await declare(workspace, 'pointers', [
      { name: 'laid_out', match: '^apply_laid_out\\(' },
      { name: 'stored', match: '^apply_stored\\(' },
    ]);
    extracted = await kernloop('extract', '--app', 'apps/pointers');
    // Jest shows no text that matches its pattern beside a code that does not.
    if (extracted[0] !== 1) throw new Error(`extract ended with ${extracted[0]}:\n${extracted[1]}`);
  });
  afterAll(() => workspace.remove());

  it('refuses a capture by name whose memory holds them', () => {
    expect(extracted).toEqual([1, expect.stringMatching(/stored .* failed /)]);
    expect(extracted[1]).toMatch(
      /error: stored: .* holds the address of (twice|square)\(int\) at offset 0x0, which .*\[CODE_ADDRESS_IN_MEMORY\].*\[SELFCHECK_FAILED\]/,
    );
  });

  it("replays a table that the compiler laid out with the replayed code's own addresses", async () => {
    expect(extracted[1]).toMatch(/laid_out .* verified /);
    expect(await kernloop('validate', project, '--variant', 'none')).toEqual([0, expect.stringMatching(/PASS \(/)]);
  });

  it.each([
    ['right', 'value == 77777 ? value * value + 5 : 2 * value', 0, 'PASS ('],
    ['wrong', 'value == 300 ? value * value + 5 : 2 * value', 1, 'FAIL (3 of'],
  ] as const)(
    'judges an edit that is %s, after which functions lie elsewhere in the code',
    async (_, body, code, says) => {
      const file = `${project}/kernel_variant.hip`;
      const before = workspace.read(file);
      workspace.edit(file, (text) => text.replace('2 * value', body));
      expect(await kernloop('recompile', project)).toEqual([0, expect.stringContaining('build/variant.hsaco')]);
      for (const device of ['hsa', 'softgpu'])
        expect([device, ...(await kernloop('validate', project, '--device', device))]).toEqual([
          device,
          code,
          expect.stringContaining(`Result: ${says}`),
        ]);
      workspace.write(file, before);
    },
  );
});

describe('pinned memory of the host on the device hsa', () => {
  it('is replayed as such, and as memory of the GPU on the software GPU', async () => {
    const workspace = Workspace.create([], emulated);
    try {
      await declare(workspace, 'pinned', [{ name: 'add', match: '^add\\(' }]);
      const extracted = await workspace.kernloop(['extract', '--app', 'apps/pinned']);
      expect([extracted.code, extracted.text]).toEqual([0, expect.stringMatching(/add .* verified /)]);
      const replay = async (device: string): Promise<string> => {
        const { code, text } = await workspace.kernloop([
          'replay',
          'kernels/pinned/add',
          '--variant',
          'none',
          '--device',
          device,
        ]);
        expect([code, text]).toEqual([0, expect.stringContaining('Result: RAN')]);
        return text;
      };
      expect(await replay('softgpu')).not.toContain('in memory of the host');
      const text = await replay('hsa');
      expect(text).toContain('restored 3 regions, 24.0 KiB (regions of 16.0 KiB in memory of the host)');
    } finally {
      workspace.remove();
    }
  });
});
