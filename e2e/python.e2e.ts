import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository, run, Workspace, type Outcome } from './harness';

/** Packages that tools/python.mjs installs: Triton, NumPy, pip and mypy in pinned versions. */
const pinned = join(repository, 'python', '.venv');
const wheelName = /^kernloop-[\w.]+-py3-none-manylinux_2_35_x86_64\.whl$/;

/** The wheel, installed by pip into an empty environment beside Triton and NumPy, without a checkout and variables. */
describe('the Python wheel', () => {
  let workspace: Workspace;
  let wheel = '';
  const python = (): string => workspace.path('venv', 'bin', 'python3');
  /** Runs with an empty PATH: neither Node nor npm's commands are found. */
  const alone = (args: readonly string[], cwd: string): Promise<Outcome> => {
    const none = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
    const env = { ...none, PATH: workspace.path('nothing'), TRITON_CACHE_DIR: join(pinned, 'triton-cache') };
    return run(python(), ['-B', ...args], { cwd: workspace.path(cwd), env });
  };
  /** Runs with Node and the workspace's own command line. */
  const script = (text: string, options: Parameters<typeof run>[2] = {}): Promise<Outcome> => {
    writeFileSync(workspace.path('script.py'), text);
    const env = {
      ...workspace.settings().env,
      PATH: `${workspace.path('venv', 'bin')}:${process.env['PATH'] ?? ''}`,
      TRITON_CACHE_DIR: join(pinned, 'triton-cache'),
    };
    return run(python(), ['script.py'], { cwd: workspace.root, env, ...options });
  };
  const make = (folder: string, umask: string): Promise<Outcome> =>
    run(
      'sh',
      ['-c', `umask ${umask}; node tools/package.mjs --for-tests --only wheel --out ${workspace.path(folder)}`],
      {
        cwd: repository,
      },
    );

  beforeAll(async () => {
    workspace = Workspace.create(['examples/triton-softmax', 'examples/triton-tracing']);
    mkdirSync(workspace.path('nothing'));
    const made = await make('wheels', '022');
    expect([made.code, made.text]).toEqual([0, expect.any(String)]);
    const [name = ''] = readdirSync(workspace.path('wheels'));
    expect(name).toMatch(wheelName);
    wheel = workspace.path('wheels', name);
    await run('/usr/bin/python3', ['-m', 'venv', '--without-pip', workspace.path('venv')]);
    const offline = ['--no-index', '--disable-pip-version-check', '--no-compile', '--quiet'];
    const pip = ['-m', 'pip', '--python', python(), 'install', ...offline, wheel];
    const installed = await run(join(pinned, 'bin', 'python3'), pip);
    expect([installed.code, installed.text]).toEqual([0, expect.any(String)]);
    // Triton and NumPy are 700 MB, so they are used from their installed folder. Its own .pth, which names the
    // checkout, is not read there.
    const [version = ''] = readdirSync(join(pinned, 'lib'));
    const packages = ['lib', version, 'site-packages'];
    writeFileSync(workspace.path('venv', ...packages, 'pinned.pth'), `${join(pinned, ...packages)}\n`);
  });
  afterAll(() => workspace.remove());

  it('is of one checkout always the same bytes', async () => {
    await make('again', '077');
    const [name = ''] = readdirSync(workspace.path('again'));
    expect(readFileSync(workspace.path('again', name)).equals(readFileSync(wheel))).toBe(true);
  });

  // Three variants of the autotuned kernel are compiled.
  it('runs an app with its own software GPU, and writes down what Triton compiled', async () => {
    const outcome = await alone(['-m', 'kernloop.triton', '--record', 'records', 'softmax.py'], 'apps/triton-softmax');
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/softmax: 64 rows of 1000/)]);
    const where = await alone(
      ['-c', 'from kernloop.softgpu.library import find_runtime; print(find_runtime())'],
      'apps/triton-softmax',
    );
    expect(where.stdout).toContain(workspace.path('venv'));
    const records = readdirSync(workspace.path('apps', 'triton-softmax', 'records'));
    expect(records.filter((name) => name.startsWith('compile-'))).toHaveLength(4);
    rmSync(workspace.path('apps', 'triton-softmax', 'records'), { recursive: true });
  });

  it('traces inside kernels, with nothing besides', async () => {
    const outcome = await alone(['-m', 'kernloop.triton', 'all_gather.py', 'trace.kevents'], 'apps/triton-tracing');
    expect([outcome.code, outcome.text]).toEqual([0, expect.stringMatching(/rank 1 of 2, .* 20 events, 0 dropped/)]);
    rmSync(workspace.path('apps', 'triton-tracing', 'trace.kevents'));
  });

  it('the script of docs/python.md goes the whole loop', async () => {
    const page = readFileSync(join(repository, 'docs', 'python.md'), 'utf8');
    const [, text = ''] = /```python\n(# loop\.py[^]*?)```/.exec(page) ?? [];
    const outcome = await script(text);
    expect([outcome.code, outcome.text]).toEqual([0, expect.any(String)]);
    const [, printed = ''] = /\$ python3 loop\.py\n([^]*?)```/.exec(page) ?? [];
    expect(outcome.stdout).toBe(printed);
  });

  it('launches a reproducer without Node, its checkout or its runtime', async () => {
    const folder = 'kernels/triton-softmax/softmax';
    const own = await alone(['reproducer.py', '--output', 'build/own.hsaco'], folder);
    expect([own.code, own.text]).toEqual([0, expect.stringMatching(/: 0 of \d+ bytes differ/)]);
    rmSync(workspace.path(folder, 'kernloop_reproducer.py'));
    const lent = await alone(['-m', 'kernloop.reproducer', '.', '--output', 'build/lent.hsaco'], folder);
    expect([lent.code, lent.text.replace('lent', 'own')]).toEqual([0, own.text]);
  });

  it('ends a stage on an interrupt, and leaves no process', async () => {
    workspace.write('apps/slow/kernloop.json', {
      name: 'slow',
      device: 'softgpu',
      command: ['sh', '-c', 'echo $$ > pid; sleep 300'],
      kernels: [{ name: 'k', match: 'k' }],
    });
    const pidFile = workspace.path('apps', 'slow', 'pid');
    const text = [
      'import os, signal, threading, time',
      'from kernloop import Kernloop',
      'def interrupt():',
      `    while not os.path.exists(${JSON.stringify(pidFile)}): time.sleep(0.05)`,
      '    os.kill(os.getpid(), signal.SIGINT)',
      'threading.Thread(target=interrupt, daemon=True).start()',
      'try:',
      '    Kernloop().profile("apps/slow")',
      'except KeyboardInterrupt:',
      '    print("interrupted")',
      '',
    ].join('\n');
    const outcome = await script(text);
    expect([outcome.code, outcome.stdout]).toEqual([0, 'interrupted\n']);
    expect(existsSync(join('/proc', readFileSync(pidFile, 'utf8').trim()))).toBe(false);
  });

  it('is typed: mypy holds it and its users to that', async () => {
    const mypy = ['-m', 'mypy'];
    const own = await run(join(pinned, 'bin', 'python3'), mypy, { cwd: join(repository, 'python') });
    expect([own.code, own.text]).toEqual([0, expect.stringContaining('no issues found')]);
    writeFileSync(
      workspace.path('typed.py'),
      'from kernloop import Kernloop\nkl = Kernloop()\nwrong: int = kl.validate("r", rtol=1e-5).verdict\nkl.validate("r", rtoll=1)\nright: str = kl.recompile("r").code_object\n',
    );
    const users = await run(
      join(pinned, 'bin', 'python3'),
      [...mypy, '--strict', '--python-executable', python(), 'typed.py'],
      {
        cwd: workspace.root,
        env: { MYPYPATH: undefined },
      },
    );
    const lines = users.text.split('\n').filter((line) => line.includes('error:'));
    expect(lines).toEqual([
      expect.stringMatching(/:3: error: Incompatible types/),
      expect.stringMatching(/:4: error: .*rtoll/),
    ]);
  });
});
