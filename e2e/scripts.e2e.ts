import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository, run, Workspace } from './harness';
import { addProbeApp } from './probe';

interface Document {
  exit_code: number;
  result: Record<string, unknown>;
}

/** Output for scripts and agents: the harness checks every document against the published schema of its verb. */
describe('for scripts and agents', () => {
  let workspace: Workspace;
  let app = '';
  const project = 'kernels/outputs/two_outputs';

  beforeAll(async () => {
    workspace = Workspace.create([]);
    app = await addProbeApp(workspace, 'outputs', ['outputs'], [{ name: 'two_outputs', match: 'two_outputs' }]);
  });
  afterAll(() => workspace.remove());

  it.each<[string, string[], number, object]>([
    ['profile', ['{app}'], 0, { work: 'wave_instructions', processes: 1 }],
    ['capture', ['--app', '{app}'], 0, { captures: [{ selfcheck: { verdict: 'verified' } }] }],
    ['generate', ['two_outputs', '--app', '{app}'], 0, { identical: false, same_machine_code: true }],
    ['adopt', [project], 0, { different: [] }],
    // Compiled alone from a unit of several kernels: its instructions are the same, but the file is not.
    ['recompile', [project], 0, { unchanged: false }],
    ['replay', [project, '--compare'], 0, { verdict: 'ran', speed: null }],
    ['validate', [project], 0, { verdict: 'pass', code: 'variant' }],
    ['validate', [project, '--ulp', '1', '--dtype', 'i32'], 0, { verdict: 'pass', tolerance: { ulp: 1 } }],
    ['pack', [project, '--output', 'two.klcap'], 0, {}],
    ['unpack', ['two.klcap', '--to', project], 0, { outcome: 'unchanged' }],
    ['store', ['stats'], 0, { event: 'store_stats' }],
    ['store', ['verify'], 0, { event: 'store_verified' }],
    ['store', ['gc', '--dry-run'], 0, { event: 'store_collected', dry_run: true }],
    ['doctor', [], 0, { exit_code: 0 }],
  ])('%s %j gives its result as JSON, with exit code %i', async (verb, args, code, result) => {
    const outcome = await workspace.kernloop([verb, ...args.map((word) => word.replace('{app}', app)), '--json']);
    expect([outcome.code, outcome.text]).toEqual([code, expect.any(String)]);
    expect(JSON.parse(outcome.stdout) as Document).toMatchObject({ exit_code: code, result });
  });

  it('the script of docs/api.md keeps the cheapest variant that is right', async () => {
    const page = readFileSync(join(repository, 'docs', 'api.md'), 'utf8');
    const [, script = ''] = /```js\n(\/\/ tune\.mjs[^]*?)```/.exec(page) ?? [];
    workspace.write('tune.mjs', script);
    const from = 'in[i] * 3';
    const dearer = 'in[i] * 2 + in[(i + n) % n]';
    const candidates = ['in[i] * 4', dearer, 'in[j]'];
    const outcome = await run(
      process.execPath,
      ['tune.mjs', app, 'two_outputs', from, ...candidates],
      workspace.settings(),
    );
    expect([outcome.code, outcome.stderr]).toEqual([0, '']);
    const { best, results } = JSON.parse(outcome.stdout) as {
      best: { candidate: string };
      results: { candidate: string; verdict: string; cost?: number }[];
    };
    expect(results.map(({ verdict }) => verdict)).toEqual(['pass', 'fail', 'pass', 'COMPILE_FAILED']);
    const cost = (candidate: string): number => results.find((tried) => tried.candidate === candidate)?.cost ?? 0;
    expect(cost(dearer)).toBeGreaterThan(cost(from));
    expect(best.candidate).toBe(from);
    expect(workspace.read(`${project}/kernel_variant.hip`)).toContain(from);
  });
});
