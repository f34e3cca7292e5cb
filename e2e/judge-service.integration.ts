import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { JudgeClient } from '../lib/judge/client';
import { repository, run } from './harness';
import { Workspace } from './in-process';
import { addProbeApp } from './probe';

/** `kernloop judge --serve` as a process of its own, with the real compiler, sandbox and software GPU. */
describe('a judge that serves', () => {
  const reproducer = 'kernels/outputs/two_outputs';
  let workspace: Workspace;
  let source = '';
  let running: ChildProcess | undefined;

  beforeAll(async () => {
    workspace = Workspace.create([]);
    const app = await addProbeApp(workspace, 'outputs', ['outputs'], [{ name: 'two_outputs', match: 'two_outputs' }]);
    const outcome = await workspace.kernloop(['extract', '--app', app]);
    expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
    source = workspace.read(`${reproducer}/kernel_variant.hip`);
  });
  afterEach(() => end('SIGKILL'));
  afterAll(() => workspace.remove());

  async function serve(folder: string, ...more: string[]): Promise<void> {
    const args = ['judge', '--serve', './judge.sock', '--reproducer', folder, '--home', 'home', ...more];
    const { env } = workspace.settings();
    const child = spawn(process.execPath, [join(repository, 'bin', 'kernloop.js'), ...args], {
      cwd: workspace.root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running = child;
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += String(chunk)));
    const first = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    expect([String(first[0]), said]).toEqual([expect.stringMatching(/^judging \w+ at /), expect.any(String)]);
  }

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    const child = running;
    running = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    child.kill(signal);
    await once(child, 'exit');
    return child.exitCode;
  }

  const client = (token?: string): JudgeClient =>
    new JudgeClient({
      address: workspace.path('judge.sock'),
      patienceSeconds: 120,
      ...(token === undefined ? {} : { token }),
    });

  const edits = {
    pass: 'first[i] = in[i] * 3;',
    fail: 'first[i] = in[i] * 4;',
    'not-compiled': 'first[i] = undeclared_name;',
    limit: 'first[i] = in[i] * 3; while (*(volatile int*)in != 12345) {}',
    fault: 'first[i] = in[i] * 3; if (i == 70) *(int*)0x123456789000 = 1;',
  };

  const candidate = (edit: string, comment: string) => ({
    files: { 'kernel_variant.hip': `${source.replace(edits.pass, edit)}\n// ${comment}\n` },
  });

  const verdictFile = (id: string): string => workspace.path('home', 'verdicts', `${id}.json`);

  it('gives each of 20 candidates one verdict, though some never end, and it is killed in between', async () => {
    expect(source).toContain(edits.pass);
    await serve(reproducer, '--jobs', '2');
    const expected = Object.fromEntries(
      Object.entries(edits).flatMap(([verdict, edit]) =>
        [1, 2, 3, 4].map((number) => [`${verdict}-${number}`, { verdict, edit }]),
      ),
    );
    const sent = await client().submitAll(
      Object.entries(expected).map(([id, { edit }]) => ({ id, ...candidate(edit, id) })),
    );
    expect(sent.map((one) => 'error' in one)).toEqual(sent.map(() => false));
    const got: Record<string, string> = {};
    let times = 0;
    let early: Record<string, string> = {};
    for await (const { judgement } of client().verdicts(Object.keys(expected))) {
      got[judgement.id] = judgement.verdict;
      times += 1;
      if (times !== 5) continue;
      early = Object.fromEntries(Object.keys(got).map((id) => [id, readFileSync(verdictFile(id), 'utf8')]));
      await end('SIGKILL');
      expect(existsSync(workspace.path('judge.sock'))).toBe(true);
      await serve(reproducer, '--jobs', '2');
    }
    expect([times, got]).toEqual([
      20,
      Object.fromEntries(Object.entries(expected).map(([id, { verdict }]) => [id, verdict])),
    ]);
    expect(readdirSync(workspace.path('home', 'verdicts')).sort()).toEqual(
      Object.keys(expected)
        .map((id) => `${id}.json`)
        .sort(),
    );
    expect(readdirSync(workspace.path('home', 'accepted'))).toEqual([]);
    // Verdicts that were told are not made again.
    for (const [id, text] of Object.entries(early)) expect(readFileSync(verdictFile(id), 'utf8')).toBe(text);
    expect(await end('SIGTERM')).toBe(0);
    expect(existsSync(workspace.path('judge.sock'))).toBe(false);
    const left = await run('pgrep', ['-f', '-a', workspace.root]);
    expect(left.stdout).toBe('');
  });

  it('judges the candidate of one group next, though another has sent 200', async () => {
    const [alice, bob] = ['token-of-alice-0123456789', 'token-of-bob-0123456789'];
    workspace.write('tokens', `alice ${alice}\nbob ${bob}\n`);
    chmodSync(workspace.path('tokens'), 0o600);
    await serve(reproducer, '--jobs', '1', '--tokens', 'tokens');
    for (const half of ['a', 'b'])
      await client(alice).submitAll(
        Array.from({ length: 100 }, (_, index) => candidate(edits.pass, `many ${half}${index}`)),
      );
    const waiting = async (): Promise<number> => (await client(alice).status()).own.candidates;
    const before = await waiting();
    const { id } = await client(bob).submit(candidate(edits.pass, 'alone'));
    expect((await client(bob).verdict(id)).judgement.verdict).toBe('pass');
    // The one that was at work, and one that began since.
    expect([before > 150, before - (await waiting()) <= 2]).toEqual([true, true]);
    expect(await end('SIGTERM')).toBe(0);
  });

  it('the loop of docs/judge.md finds the best of its edits', async () => {
    const page = readFileSync(join(repository, 'docs', 'judge.md'), 'utf8');
    const [, script = ''] = /```python\n(# loop\.py[^]*?)```/.exec(page) ?? [];
    const [, printed = ''] = /\$ python3 loop\.py\n([^]*?)```/.exec(page) ?? [];
    workspace.addApp('examples/hip-pipeline');
    const extracted = await workspace.kernloop(['extract', '--app', 'apps/hip-pipeline', '--kernel', 'block_sums']);
    expect([extracted.code, extracted.text]).toEqual([0, expect.any(String)]);
    await serve('kernels/hip-pipeline/block_sums');
    workspace.write('loop.py', script);
    const env = { PYTHONPATH: join(repository, 'python', 'src') };
    const outcome = await run('python3', ['loop.py'], { cwd: workspace.root, env });
    expect([outcome.code, outcome.text]).toEqual([0, printed]);
    expect(workspace.read('best.hip')).toContain('__shfl_down');
  });
});
