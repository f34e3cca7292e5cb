import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { schemaErrors } from '../lib/testing/published-schema';
import { asUsersHaveIt, run, Workspace, type Environment, type Outcome, type RunOptions } from './harness';
import { startLocalRegistry, type LocalRegistry } from './local-registry';
import { addProbeApp, probeProgram } from './probe';

/** 0, or the whole output of a run with another exit code. */
const ok = ({ code, text }: Outcome): 0 | string => (code === 0 ? 0 : text);
/** npm unpacks some hundred packages, on a machine that may be busy. */
const installationMs = 500_000;

jest.setTimeout(2 * installationMs);

/**
 * Starts with only a folder, npm and a registry. The first two tests start Nx with a process for each plugin, as users
 * have it; the others with one process.
 */
describe('nx add kernloop', () => {
  let source: Workspace;
  let registry: LocalRegistry;
  let root: string;

  beforeAll(async () => {
    source = Workspace.create([]);
    registry = await startLocalRegistry(source.path('node_modules'));
    root = mkdtempSync(join(tmpdir(), 'kernloop-e2e-empty-'));
  });
  afterAll(async () => {
    await registry.stop();
    source.remove();
    rmSync(root, { recursive: true, force: true });
  });

  const inRoot = (file: string, args: readonly string[], env: Environment = {}): Promise<Outcome> =>
    run(
      file,
      args,
      source.settings({
        cwd: root,
        env: { ...registry.env, KERNLOOP_NATIVE_DIR: undefined, ...env },
        timeoutMs: installationMs,
      }),
    );
  const nx = (...args: string[]): Promise<Outcome> => inRoot(join(root, 'node_modules', '.bin', 'nx'), args);
  const usersNx = (...args: string[]): Promise<Outcome> =>
    inRoot(join(root, 'node_modules', '.bin', 'nx'), args, asUsersHaveIt);
  const text = (path: string): string => readFileSync(join(root, path), 'utf8');
  const json = (path: string): unknown => JSON.parse(text(path));

  it('makes a workspace of an empty folder in which nx was just installed', async () => {
    // Without a prefix npm uses the nearest parent folder with a package.json.
    expect(ok(await inRoot('npm', ['install', '--prefix', root, '--save-dev', 'nx']))).toBe(0);
    expect(existsSync(join(root, 'nx.json'))).toBe(false);
    const added = await usersNx('add', 'kernloop');
    expect(ok(added)).toBe(0);
    expect(added.text).toContain('nx g kernloop:app <folder>');
    expect(json('nx.json')).toEqual({
      $schema: './node_modules/nx/schemas/nx-schema.json',
      plugins: ['kernloop/plugin'],
      cacheDirectory: '.nx/cache',
    });
    expect(json('package.json')).toMatchObject({
      devDependencies: { kernloop: expect.any(String) as string, nx: expect.any(String) as string },
    });
    expect(text('.gitignore')).toContain('**/kernels/*/*/capture/');
  });

  it('is followed by an app that is a project', async () => {
    mkdirSync(join(root, 'my', 'app'), { recursive: true });
    copyFileSync('/bin/true', join(root, 'my', 'app', 'app'));
    const adopted = await usersNx('g', 'kernloop:app', 'my/app');
    expect(ok(adopted)).toBe(0);
    expect(adopted.text).toContain('nx run app:profile');
    const declared = json('my/app/kernloop.json') as { $schema: string };
    expect(declared).toMatchObject({ name: 'app', command: ['./app'] });
    expect(schemaErrors('kernloop', declared)).toEqual([]);
    expect(json(join('my/app', declared.$schema))).toHaveProperty('$id', 'kernloop/schemas/kernloop.schema.json');
    const shown = await usersNx('show', 'projects');
    expect([shown.code, shown.stdout.split('\n')]).toEqual([0, expect.arrayContaining(['app'])]);
  });

  it('changes nothing the second time', async () => {
    const before = ['nx.json', '.gitignore', 'package.json', 'my/app/kernloop.json'].map(text);
    const again = await nx('add', 'kernloop');
    expect([again.code, again.text]).toEqual([0, expect.stringContaining('is set up already')]);
    const adopted = await nx('g', 'kernloop:app', 'my/app', '--kernel=scale');
    expect([adopted.code, adopted.text]).toEqual([0, expect.stringContaining('stays as it is (left aside: --kernel)')]);
    expect(['nx.json', '.gitignore', 'package.json', 'my/app/kernloop.json'].map(text)).toEqual(before);
  });

  it('sets VS Code up where that is asked for', async () => {
    const done = await nx('g', 'kernloop:init', '--editor=vscode');
    expect([done.code, done.text]).toEqual([0, expect.stringContaining('.vscode/tasks.json: 3 added to tasks')]);
    const settings = json('.vscode/settings.json') as { 'json.schemas': { url: string }[] };
    for (const { url } of settings['json.schemas']) expect([url, existsSync(join(root, url))]).toEqual([url, true]);
  });

  it('keeps what a workspace says of itself, comments included', async () => {
    const own = [
      '{',
      '  // ask the platform team',
      '  "cacheDirectory": "tmp/cache",',
      '  "analytics": false,',
      '  "targetDefaults": { "test": { "cache": true } }, /* theirs */',
      '  "plugins": []',
      '}',
    ].join('\n');
    writeFileSync(join(root, 'nx.json'), own);
    expect(ok(await nx('add', 'kernloop'))).toBe(0);
    const after = text('nx.json');
    expect(after.replace(/"plugins": \[[^]*\]/, '"plugins": []')).toBe(own);
    expect(after).toMatch(/"plugins": \[\s*"kernloop\/plugin"\s*\]/);
    expect((await nx('show', 'projects')).stdout).toContain('app');
  });
});

describe('nx g kernloop:app', () => {
  let workspace: Workspace;
  let program: string;

  beforeAll(async () => {
    workspace = Workspace.create([]);
    // Content after `npm install --save-dev kernloop`.
    workspace.write('package.json', { name: 'workspace', private: true, devDependencies: { kernloop: '*' } });
    rmSync(workspace.path('nx.json'));
    program = await probeProgram();
  });
  afterAll(() => workspace.remove());

  const place = (path: string): void => {
    mkdirSync(dirname(workspace.path(path)), { recursive: true });
    copyFileSync(program, workspace.path(path));
    chmodSync(workspace.path(path), 0o755);
  };
  const generate = (args: readonly string[], options?: RunOptions): Promise<Outcome> =>
    workspace.nx(['g', ...args], options);
  const projects = async (): Promise<string[]> => {
    const shown = await workspace.nx(['show', 'projects', '--json']);
    expect(ok(shown)).toBe(0);
    return JSON.parse(shown.stdout) as string[];
  };
  const command = (folder: string): unknown => workspace.json<{ command: unknown }>(`${folder}/kernloop.json`).command;

  it('adopts what make builds right in its folder, in a workspace without nx.json', async () => {
    workspace.write('apps/made/Makefile', `probe:\n\tcp ${program} probe\n`);
    place('apps/made/probe');
    expect(ok(await generate(['kernloop:app', 'apps/made', '--kernel=scale']))).toBe(0);
    expect(workspace.json('apps/made/kernloop.json')).toMatchObject({
      build: { command: ['make'], outputs: ['probe'] },
      command: ['./probe'],
      kernels: [{ name: 'scale' }],
    });
    expect(await projects()).toContain('made');
    const { targets } = JSON.parse((await workspace.nx(['show', 'project', 'made', '--json'])).stdout) as {
      targets: object;
    };
    expect(Object.keys(targets)).toEqual(
      expect.arrayContaining(['build', 'profile', 'capture-scale', 'extract-kernel']),
    );
  });

  it('adopts a plain program of the folder itself, and finds it when it runs it', async () => {
    place('apps/plain/probe');
    const adopted = await generate(['kernloop:app', 'apps/plain', '--command=probe outputs']);
    expect(ok(adopted)).toBe(0);
    expect(command('apps/plain')).toEqual(['./probe', 'outputs']);
    expect(await projects()).toContain('plain');
    const profiled = await workspace.nx(['run', 'plain:profile'], { env: { HIP_PLATFORM: 'amd' } });
    expect([profiled.code, profiled.text]).toEqual([0, expect.stringContaining('two_outputs')]);
  });

  it('adopts a CMake app before its first build, and a built one by its program in a folder below', async () => {
    workspace.write('apps/young/CMakeLists.txt', 'project(young)\nadd_executable(young main.cpp)\n');
    expect(ok(await generate(['kernloop:app', 'apps/young']))).toBe(0);
    expect(command('apps/young')).toEqual(['build/young']);
    workspace.write('apps/built/CMakeLists.txt', 'include(everything.cmake)\n');
    place('apps/built/out/bin/probe');
    workspace.write('apps/built/out/CMakeCache.txt', '');
    workspace.write('apps/built/out/compile_commands.json', '[]');
    expect(ok(await generate(['kernloop:app', 'apps/built']))).toBe(0);
    expect(workspace.json('apps/built/kernloop.json')).toMatchObject({
      build: { command: ['cmake', '--build', 'out'], outputs: ['out'] },
      command: ['out/bin/probe'],
      compileCommands: 'out/compile_commands.json',
    });
    expect(await projects()).toEqual(expect.arrayContaining(['young', 'built']));
  });

  it('lists the programs where there are several, and writes nothing', async () => {
    place('apps/several/build/one');
    place('apps/several/build/two');
    const refused = await generate(['kernloop:app', 'apps/several', '--no-interactive']);
    expect(refused.code).not.toBe(0);
    expect(refused.text).toContain('several programs were found: build/one, build/two');
    expect(refused.text).toContain('--command="build/one');
    expect(existsSync(workspace.path('apps/several/kernloop.json'))).toBe(false);
  });

  it('asks at a terminal which of them it is', async () => {
    const nx = `${process.execPath} ${workspace.path('node_modules/nx/dist/bin/nx.js')}`;
    // Unless this is set, Nx asks its own question once per workspace.
    workspace.edit('nx.json', (text) => text.replace('{', '{ "analytics": false,'));
    // A process that also has a pipe open for writing reads no end of file.
    const typed = 'mkfifo typed; exec 3<>typed; printf "2\\n" >&3';
    const line = `${typed}; script -qec "${nx} g kernloop:app apps/several --device=softgpu" /dev/null <&3`;
    const asked = await run('bash', ['-c', line], workspace.settings({ env: { CI: undefined } }));
    expect([asked.code, asked.text]).toEqual([
      0,
      expect.stringMatching(/1 {2}build\/one\s+2 {2}build\/two\s+Which program/),
    ]);
    expect(command('apps/several')).toEqual(['build/two']);
    expect(await projects()).toContain('several');
  });

  it('says that Nx does not see an app that git ignores', async () => {
    const before = workspace.read('.gitignore');
    workspace.write('.gitignore', `${before}\napps/hidden\n`);
    place('apps/hidden/probe');
    const refused = await generate(['kernloop:app', 'apps/hidden']);
    expect(refused.code).not.toBe(0);
    expect(refused.text).toContain('Nx shows no project "hidden"');
    workspace.write('.gitignore', before);
    expect(ok(await generate(['kernloop:app', 'apps/hidden']))).toBe(0);
  });

  it('is what init still does with a folder, saying so', async () => {
    place('apps/old/probe');
    const made = await generate(['kernloop:init', 'apps/old', '--kernel=scale']);
    expect([made.code, made.text]).toEqual([0, expect.stringContaining('nx g kernloop:app apps/old')]);
    expect(workspace.json('apps/old/kernloop.json')).toMatchObject({
      command: ['./probe'],
      kernels: [{ name: 'scale' }],
    });
    expect(await projects()).toContain('old');
  });

  it('shows examples and what matters first', async () => {
    const { code, text } = await generate(['kernloop:app', '--help']);
    expect([code, text]).toEqual([
      0,
      expect.stringMatching(/--directory[^]*--command[^]*--skipPackageJson[^]*Examples:/),
    ]);
  });

  it('is followed by nx g kernloop:reproducer, of a capture and not of what is none', async () => {
    await addProbeApp(workspace, 'outputs', ['outputs'], [{ name: 'two_outputs', match: 'two_outputs' }]);
    const captured = await workspace.kernloop([
      'capture',
      '--app',
      'apps/outputs',
      '--output',
      workspace.path('theirs'),
    ]);
    expect(ok(captured)).toBe(0);
    const folder = existsSync(workspace.path('theirs/capture.json')) ? 'theirs' : 'theirs/two_outputs';
    const none = await generate(['kernloop:reproducer', 'apps', '--app=apps/outputs']);
    expect(none.code).not.toBe(0);
    expect(none.text).toMatch(/CAPTURE_MISSING/);
    const missing = await generate(['kernloop:reproducer', '--no-interactive']);
    expect([missing.code, missing.text]).toEqual([
      1,
      expect.stringContaining("Required property 'capture' is missing"),
    ]);
    const made = await generate(['kernloop:reproducer', folder, '--app=apps/outputs', '--name=theirs'], {
      env: { HIP_PLATFORM: 'amd' },
    });
    expect(ok(made)).toBe(0);
    expect(await projects()).toContain('outputs-theirs');
    const judged = await workspace.kernloop([
      'validate',
      '--reproducer',
      'kernels/outputs/theirs',
      '--variant',
      'none',
    ]);
    expect([judged.code, judged.text]).toEqual([0, expect.stringContaining('Result: PASS')]);
  });
});
