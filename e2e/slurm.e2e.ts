import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { Workspace, type Outcome } from './harness';
import { addProbeApp, probeProgram } from './probe';
import { SlurmCluster, nodeNames } from './slurm-cluster';

/** Tasks that need the device run as jobs of a real Slurm with two nodes. bench/slurm.mjs has longer cases. */
describe('jobs of Slurm', () => {
  let workspace: Workspace;
  let cluster: SlurmCluster;
  const project = 'kernels/outputs/two_outputs';
  const baseline = ['validate', '--reproducer', project, '--variant', 'none', '--json'];

  beforeAll(async () => {
    const [started] = await Promise.all([SlurmCluster.start(), probeProgram()]);
    cluster = started;
    workspace = Workspace.create([], cluster.env);
    const app = await addProbeApp(workspace, 'outputs', ['outputs'], [{ name: 'two_outputs', match: 'two_outputs' }]);
    const outcome = await workspace.kernloop(['extract', '--app', app]);
    expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
    workspace.edit('apps/outputs/kernloop.json', withRunner({}));
  });
  afterAll(async () => {
    await cluster.remove();
    workspace.remove();
  });

  const withRunner =
    (slurm: object) =>
    (text: string): string =>
      JSON.stringify({ ...(JSON.parse(text) as object), runner: { slurm } });

  /** A program that prints a line before it reaches a kernel. */
  async function addScript(
    name: string,
    script: string,
    slurm: object = {},
    words: readonly string[] = [],
  ): Promise<string> {
    const command = ['/bin/sh', '-c', script, await probeProgram(), ...words];
    workspace.write(`apps/${name}/kernloop.json`, { name, command, env: { HIP_PLATFORM: 'amd' }, runner: { slurm } });
    return `apps/${name}`;
  }

  const resultOf = ({ stdout }: Outcome): Record<string, unknown> =>
    (JSON.parse(stdout) as { result: Record<string, unknown> }).result;

  it('judge as this machine does, on a node, and leave nothing behind', async () => {
    const here = await workspace.kernloop(baseline, { env: { KERNLOOP_RUNNER: 'local' } });
    const there = await workspace.kernloop(baseline);
    expect([there.code, there.text]).toEqual([0, expect.stringContaining('Result: PASS')]);
    const { duration_ns: _ours, ...expected } = resultOf(here);
    const { duration_ns: _theirs, ...found } = resultOf(there);
    expect(found).toEqual(expected);
    await cluster.until('the job has ended well', () =>
      /^kernloop-validate-two_outputs-\S+ COMPLETED$/m.test(
        cluster.ask('squeue', '--noheader', '--states=all', '--format=%j %T'),
      ),
    );
    expect([...workspace.snapshot('.kernloop/slurm').keys()]).toEqual([]);
  });

  it('replay, trace and count for a profile as this machine does', async () => {
    const states = (): string => cluster.ask('squeue', '--noheader', '--states=all', '--format=%j %T');
    const here = ['--reproducer', project];
    const verbs = [
      { stage: 'replay', words: ['replay', ...here, '--variant', 'none'], said: /wave.instructions/ },
      { stage: 'trace-run', words: ['trace', 'run', project, '--probe', 'block_sched'], said: /block_sched/ },
      { stage: 'pgo-generate', words: ['pgo-generate', ...here], said: /two_outputs/ },
    ];
    expect((await workspace.kernloop(['pgo-instrument', ...here])).code).toBe(0);
    for (const { stage, words, said } of verbs) {
      const local = await workspace.kernloop([...words, '--json'], { env: { KERNLOOP_RUNNER: 'local' } });
      const there = await workspace.kernloop([...words, '--json']);
      expect([stage, there.code, there.text]).toEqual([stage, local.code, expect.stringMatching(said)]);
      expect([stage, Object.keys(resultOf(there)).sort()]).toEqual([stage, Object.keys(resultOf(local)).sort()]);
      await cluster.until('the job has ended well', () =>
        new RegExp(`^kernloop-${stage}-two_outputs-\\S+ COMPLETED$`, 'm').test(states()),
      );
    }
    // Compilation needs no device.
    expect(states()).not.toMatch(/^kernloop-pgo-instrument/m);
  });

  it('that were given up write nothing behind the run that followed', async () => {
    const go = workspace.path('go');
    const app = await addScript('orphan', `echo begun; until [ -e '${go}' ]; do sleep 0.1; done; exec "$0" outputs`);
    const outcome = await workspace.kernloop(['profile', '--app', app], {
      when: {
        output: /begun/,
        // Does what a submitter does after it loses the controller.
        then: () => {
          rmSync(workspace.path('.kernloop/slurm'), { recursive: true });
          workspace.write('go', '');
        },
      },
    });
    expect([outcome.code, outcome.text]).not.toEqual([0, expect.anything()]);
    expect(cluster.jobs()).toEqual([]);
    expect(existsSync(workspace.path(app, '.kernloop/profile.json'))).toBe(false);
    // No answer either, which would recreate the folder.
    expect(existsSync(workspace.path('.kernloop/slurm'))).toBe(false);
  });

  it('are none for what Nx has in its cache', async () => {
    const count = (): number =>
      cluster.ask('squeue', '--noheader', '--states=all', '--format=%j').match(/^kernloop-profile-outputs-/gm)
        ?.length ?? 0;
    const first = await workspace.nx(['run', 'outputs:profile']);
    expect([first.code, first.text, count()]).toEqual([0, expect.stringContaining('two_outputs'), 1]);
    const again = await workspace.nx(['run', 'outputs:profile']);
    expect([again.code, again.text, count()]).toEqual([0, expect.stringMatching(/cache/), 1]);
  });

  it('give the error of the task, not one of Slurm', async () => {
    const unknown = await workspace.kernloop([...baseline, '--softgpu', 'gfx1']);
    expect([unknown.code, JSON.parse(unknown.stdout)]).toMatchObject([2, { error: { code: 'USAGE' } }]);
  });

  it('hand over words, variables and paths as they are', async () => {
    const folder = `odd's "name" $HOME`;
    const odd = `it's "$HOME"; a, b=c\\ \`date\``;
    const text = 'printf "%s|%s" "$1" "$ODD_TEXT" > "$2"; exec "$0" outputs';
    const app = await addScript(folder, text, { export: ['ODD_TEXT'] }, [odd, 'an "output"']);
    workspace.edit(`${app}/kernloop.json`, (json) => json.replace(/"name":\s*"[^,]*,/, '"name":"odd",'));
    const outcome = await workspace.kernloop(['profile', '--app', app], { env: { ODD_TEXT: odd, OTHER_TEXT: odd } });
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringContaining('two_outputs')]);
    expect(workspace.read(`${app}/an "output"`)).toBe(`${odd}|${odd}`);
  });

  it('that Slurm refuses, or keeps in the queue, say why', async () => {
    const refused = await addScript('refused', 'exit 1', { partition: 'nowhere' });
    const waiting = await addScript('queued', 'exit 1', { partition: 'closed', queueMinutes: 0.001 });
    const [first, second] = await Promise.all(
      [refused, waiting].map((app) => workspace.kernloop(['profile', '--app', app])),
    );
    expect([first?.code, first?.text]).toEqual([2, expect.stringMatching(/nvalid partition.*SLURM_REJECTED/s)]);
    expect([second?.code, second?.text]).toEqual([5, expect.stringMatching(/\(PartitionDown\).*SLURM_QUEUE_WAIT/s)]);
    expect(cluster.jobs()).toEqual([]);
  });

  it('are cancelled with the task, and by others', async () => {
    const app = await addScript('sleeper', 'echo sleeping; exec sleep 600');
    const interrupted = await workspace.kernloop(['profile', '--app', app], {
      when: { output: /sleeping/, then: (kill) => kill('SIGINT') },
    });
    expect([interrupted.code, interrupted.text]).toEqual([130, expect.stringContaining('INTERRUPTED')]);
    expect(cluster.jobs()).toEqual([]);

    const cancelled = await workspace.kernloop(['profile', '--app', app], {
      when: { output: /sleeping/, then: () => cluster.jobs().forEach((job) => cluster.ask('scancel', job)) },
    });
    expect([cancelled.code, cancelled.text]).toEqual([5, expect.stringContaining('SLURM_CANCELLED')]);
  });

  it('name what the node does not see', async () => {
    // The file exists when the job is submitted, but not on the node.
    const hidden = workspace.path('hidden store');
    mkdirSync(hidden);
    const app = await addScript('hidden', 'exit 1', { extra: [`--prolog=${workspace.path('prolog')}`] });
    workspace.write('prolog', `#!/bin/sh\nrmdir '${hidden}'\n`);
    await workspace.shell(`chmod +x ${workspace.path('prolog')}`);
    const outcome = await workspace.kernloop(['profile', '--app', app], { env: { KERNLOOP_STORE: hidden } });
    expect([outcome.code, outcome.text]).toEqual([
      5,
      expect.stringMatching(/does not see .*hidden store.*SLURM_PATH_HIDDEN/s),
    ]);
  });

  it('that lose their node are tried again on another', async () => {
    const app = await addScript('lost', '[ -e begun ] || { touch begun; echo begun; sleep 600; }; exec "$0" outputs');
    const outcome = await workspace.kernloop(['profile', '--app', app], {
      when: {
        output: /begun/,
        then: () => {
          const node = nodeNames.find((name) => cluster.ask('squeue', '--noheader', '--format=%N').trim() === name);
          if (node) void cluster.kill(node);
        },
      },
    });
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/SLURM_NODE_FAILED.*two_outputs/s)]);
    expect(existsSync(workspace.path(app, '.kernloop/profile.json'))).toBe(true);
  });
});
