import { join } from 'node:path';
import { repository, run } from './harness';
import { Workspace } from './in-process';
import { replayEvents } from './probe';

const buildDirectory = join(repository, '.kernloop', 'e2e', 'ranges');

/** Results that depend on the order of waves: untouched code passes in any order, and wrong code does not. */
describe('results that depend on the order of waves', () => {
  let workspace: Workspace;

  beforeAll(async () => {
    workspace = Workspace.create([]);
    const source = join(repository, 'e2e', 'fixtures', 'ranges');
    for (const args of [
      ['-S', source, '-B', buildDirectory],
      ['--build', buildDirectory],
    ]) {
      const outcome = await run('cmake', args, { env: { HIP_PLATFORM: 'amd' } });
      if (outcome.code !== 0) throw new Error(`the fixture was not built:\n${outcome.text}`);
    }
  });
  afterAll(() => workspace.remove());

  const extract = async (mode: string, kernel: string) => {
    workspace.write(`apps/${mode}/kernloop.json`, {
      name: mode,
      device: 'softgpu',
      command: [join(buildDirectory, 'ranges'), mode],
      env: { HIP_PLATFORM: 'amd' },
      source: join(repository, 'e2e', 'fixtures', 'ranges'),
      compileCommands: join(buildDirectory, 'compile_commands.json'),
      kernels: [{ name: kernel, match: kernel }],
    });
    const outcome = await workspace.kernloop(['extract', '--app', `apps/${mode}`]);
    expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
    const project = `kernels/${mode}/${kernel}`;
    const selfcheck = JSON.parse(workspace.read(`${project}/capture/selfcheck.json`)) as {
      verdict: string;
      replays: number;
      calibration: { replays: number; confidence: number };
      varying: { region: string; order_dependent?: boolean; low?: number[] }[];
    };
    const file = `${project}/kernel_variant.hip`;
    const original = workspace.read(file);
    const validateWith = async (from: string, to: string) => {
      workspace.write(file, original);
      workspace.edit(file, (text) => text.replace(from, to));
      expect(workspace.read(file)).not.toBe(original);
      const built = await workspace.kernloop(['recompile', '--reproducer', project]);
      expect([built.code, built.text]).toEqual([0, expect.any(String)]);
      return workspace.kernloop(['validate', '--reproducer', project]);
    };
    /** Verdicts of the rebuilt or captured code under `orders` orders. */
    const verdictsOf = async (orders: number) => {
      const capture = workspace.path(project, 'capture');
      const verdicts = new Set<unknown>();
      for (let seed = 5000; seed < 5000 + orders; seed += 1) {
        const { events } = await replayEvents(capture, [
          ...['--compare', '--known-varying', join(capture, 'selfcheck.json')],
          ...['--seed', String(seed), '--poison', seed % 2 ? '0xA5' : '0x5A'],
        ]);
        verdicts.add(events.at(-1)?.['verdict']);
      }
      return [...verdicts];
    };
    return { project, selfcheck, validateWith, verdictsOf };
  };

  it.each([
    ['sums', 'bin_sums', 'x[i]', '1.001f * x[i]'],
    ['cancelling', 'cancelling_sums', 'y[i]', 'y[i] + 1e-2f'],
  ])(
    '%s: passes in every order, and fails wrong and lost addends and doing nothing',
    async (mode, kernel, addend, other) => {
      const { selfcheck, validateWith, verdictsOf } = await extract(mode, kernel);
      expect(selfcheck.verdict).toBe('nondeterministic');
      expect(selfcheck.calibration.replays).toBeGreaterThanOrEqual(32);
      expect(await verdictsOf(40)).toEqual(['pass']);

      const add = `atomicAdd(&sums[i % bins], ${addend});`;
      const rebuilt = await validateWith(add, `{ const float v = ${addend}; atomicAdd(&sums[i % bins], v); }`);
      expect([rebuilt.code, rebuilt.text]).toEqual([0, expect.stringMatching(/PASS .* replays \(99 % confidence\)/)]);
      for (const wrong of [add.replace(addend, other), `if (i % 64 != 63) ${add}`, `if (false) ${add}`]) {
        const verdict = await validateWith(add, wrong);
        expect([wrong, verdict.code, verdict.text]).toEqual([wrong, 1, expect.stringMatching(/Result: FAIL/)]);
      }
    },
  );

  it('what is seldom another value says nothing about the rest, which is compared byte by byte', async () => {
    const { selfcheck, validateWith, verdictsOf } = await extract('rare', 'seldom');
    expect(selfcheck.verdict).toBe('nondeterministic');
    expect(await verdictsOf(40)).toEqual(['pass']);
    const right = await validateWith('other ? 3.3f * x[i] : 3.0f * x[i]', 'x[i] * (other ? 3.3f : 3.0f)');
    expect([right.code, right.text]).toEqual([0, expect.stringMatching(/Result: PASS/)]);
    for (const factor of ['3.03f', '3.00001f']) {
      const wrong = await validateWith('3.0f * x[i]', `${factor} * x[i]`);
      expect([wrong.code, wrong.text]).toEqual([1, expect.stringMatching(/Result: FAIL/)]);
    }
  });

  it('a list, all that its kernel makes, is no proof of anything: vacuous, with the reason', async () => {
    const { selfcheck, validateWith, verdictsOf } = await extract('list', 'push_all');
    expect(selfcheck.verdict).toBe('order-dependent');
    expect(await verdictsOf(10)).toEqual(['vacuous']);
    const push = 'next[i] = atomicExch(head, i);';
    for (const edit of [`{ ${push} }`, 'next[i] = i;', `${push} if (i == 3) next[i] = 7;`]) {
      const verdict = await validateWith(push, edit);
      expect([verdict.code, verdict.text]).toEqual([3, expect.stringMatching(/VACUOUS \(.*order of waves/)]);
    }
  });

  it('beside a list of pointers the rest is judged, and the first words say what is not', async () => {
    const { selfcheck, validateWith, verdictsOf } = await extract('nodes', 'push_nodes');
    expect(selfcheck.verdict).toBe('order-dependent');
    expect(await verdictsOf(10)).toEqual(['pass']);
    const twice = 'twice[i] = 2.0f * x[i];';
    const right = await validateWith(twice, 'twice[i] = x[i] + x[i];');
    expect([right.code, right.text]).toEqual([
      0,
      expect.stringMatching(/PASS \([\d,]+ bytes NOT judged: the order of waves/),
    ]);
    const wrong = await validateWith(twice, 'twice[i] = 2.0001f * x[i];');
    expect([wrong.code, wrong.text]).toEqual([1, expect.stringMatching(/Result: FAIL/)]);
  });
});
