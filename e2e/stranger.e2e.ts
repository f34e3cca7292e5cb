import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCodes, isErrorCode } from '../lib/support/error-codes';
import { commandsOf, fencesOf, missingLine, promisedCode, type Command } from '../lib/testing/page-commands';
import { npmSettings, repository, run, type Outcome } from './harness';

/**
 * First hour of a user with Node, npm and hipcc: packages from a registry in an empty folder, without the repository
 * and without Kernloop's variables.
 */

/** Commands that install Kernloop in a workspace with Nx and declare the app in `demo`. */
const adoptWithNx = [
  ['npx', 'nx', 'add', 'kernloop'],
  ['npx', 'nx', 'g', 'kernloop:app', 'demo', '--command=./demo', '--kernel=scale', '--kernel=shift'],
];

/** Installing and running must not start these; hipcc has its own clang (and asks Python for GPUs). */
const buildTools = ['cc', 'gcc', 'c++', 'g++', 'make', 'ninja', 'node-gyp', 'node-pre-gyp', 'prebuild-install'];

class Stranger {
  readonly home = mkdtempSync(join(tmpdir(), 'stranger-'));
  private readonly tools = join(this.home, 'tools');
  private readonly calls = join(this.home, 'build-tools.log');

  constructor() {
    mkdirSync(this.tools);
    for (const tool of buildTools) {
      writeFileSync(join(this.tools, tool), `#!/bin/sh\necho "${tool} $*" >> "${this.calls}"\nexit 99\n`);
      chmodSync(join(this.tools, tool), 0o755);
    }
    this.write('work/package.json', '{ "private": true }\n');
    cpSync(join(repository, 'e2e', 'fixtures', 'stranger'), this.path('demo'), { recursive: true });
  }

  path(...parts: string[]): string {
    return join(this.home, 'work', ...parts);
  }

  write(path: string, text: string): void {
    const file = join(this.home, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  }

  edit(path: string, from: string, to: string): void {
    const before = readFileSync(this.path(path), 'utf8');
    expect(before).toContain(from);
    writeFileSync(this.path(path), before.replace(from, to));
  }

  /** Runs with an environment without variables of Kernloop, Nx or npm from this test run. */
  type(...words: string[]): Promise<Outcome> {
    const [file = '', ...args] = words;
    const inherited = Object.keys(process.env).filter((name) => /^(KERNLOOP_|E2E_|NX_|npm_|NODE_PATH)/i.test(name));
    return run(file, args, {
      cwd: this.path(),
      env: {
        ...Object.fromEntries(inherited.map((name) => [name, undefined])),
        ...{ ...npmSettings, npm_config_audit: 'false', npm_config_fund: 'false', npm_config_yes: 'true' },
        ...{
          PATH: `${this.tools}:${process.env['PATH'] ?? ''}`,
          HIP_PLATFORM: 'amd',
          CI: 'true',
          NX_DAEMON: 'false',
          NX_TUI: 'false',
        },
      },
    });
  }

  /** Runs a line of a page in a shell; fails if the output lacks a line that the page shows. */
  async follows({ text, output }: Command): Promise<string> {
    const outcome = await this.type('bash', '-c', text);
    const code = promisedCode(output, (error) => (isErrorCode(error) ? errorCodes[error].exitCode : -1));
    expect([text, outcome.code, missingLine(output, outcome.text), outcome.text]).toEqual([
      text,
      code,
      undefined,
      expect.any(String),
    ]);
    return outcome.text;
  }

  async typed(line: string, code = 0): Promise<string> {
    const outcome = await this.type(...line.split(' '));
    expect([line, outcome.code, outcome.text]).toEqual([line, code, expect.any(String)]);
    return outcome.text;
  }

  get buildToolCalls(): string {
    return existsSync(this.calls) ? readFileSync(this.calls, 'utf8') : '';
  }

  dispose(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

const hipcc = 'hipcc --offload-arch=gfx90a -o demo/demo demo/demo.hip';

describe('a stranger without Nx', () => {
  const stranger = new Stranger();
  const project = 'demo/kernels/demo/scale';
  afterAll(() => stranger.dispose());

  const packages = (): string[] =>
    readdirSync(stranger.path('node_modules'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      /\.node$|\.gyp$/.test(path),
    );

  it('installs with npm ci: one package of native programs, no Nx, nothing that is compiled', async () => {
    await stranger.typed('npm install --package-lock-only kernloop');
    await stranger.typed('npm ci --omit=dev');
    expect(readdirSync(stranger.path('node_modules', '@kernloop'))).toEqual(['native-linux-x64']);
    expect([existsSync(stranger.path('node_modules/nx')), existsSync(stranger.path('node_modules/@nx'))]).toEqual([
      false,
      false,
    ]);
    expect(packages()).toEqual([]);
  });

  it('is told by doctor that all is there', async () => {
    const text = await stranger.typed('npx kernloop doctor');
    expect(text).toMatch(/ok +native programs +.*node_modules\/@kernloop\/native-linux-x64\n/);
    expect(text).toMatch(/ok +source parser +.*node_modules\/kernloop\/grammars\//);
  });

  it('extracts a kernel of a program of their own', async () => {
    await stranger.typed(hipcc);
    const kernels = [{ name: 'scale', match: '^scale\\(' }];
    stranger.write('work/demo/kernloop.json', JSON.stringify({ name: 'demo', command: ['./demo'], kernels }));
    expect(await stranger.typed('npx kernloop profile demo')).toContain('shift');
    expect(await stranger.typed('npx kernloop extract --app demo')).toContain('verified');
  });

  it('gets a verdict on a right edit and on a wrong one', async () => {
    stranger.edit(`${project}/kernel_variant.hip`, 'values[i] *= factor;', 'values[i] = factor * values[i];');
    await stranger.typed(`npx kernloop recompile ${project}`);
    expect(await stranger.typed(`npx kernloop validate ${project}`)).toContain('Result: PASS');
    stranger.edit(`${project}/kernel_variant.hip`, 'factor * values[i]', 'factor + values[i]');
    await stranger.typed(`npx kernloop recompile ${project}`);
    expect(await stranger.typed(`npx kernloop validate ${project}`, 1)).toContain('Result: FAIL');
  });

  it('loses the search for source alone where the grammar does not load, and doctor says so', async () => {
    const grammar = stranger.path('node_modules/kernloop/grammars/tree-sitter-cuda.wasm');
    const whole = readFileSync(grammar);
    writeFileSync(grammar, whole.subarray(0, whole.length / 2));
    expect(await stranger.typed('npx kernloop doctor', 5)).toMatch(
      /MISSING +source parser[^]*source parser: install kernloop once more/,
    );
    expect(await stranger.typed('npx kernloop generate scale --app demo', 5)).toContain('ENVIRONMENT_PARSER_MISSING');
    expect(await stranger.typed(`npx kernloop validate ${project}`, 1)).toContain('Result: FAIL');
    writeFileSync(grammar, whole);
    await stranger.typed('npx kernloop generate scale --app demo');
  });

  it('is told how to get the native programs where they were left out', async () => {
    await stranger.typed('npm ci --omit=dev --omit=optional');
    expect(await stranger.typed('npx kernloop doctor', 5)).toMatch(/MISSING +native programs/);
    expect(await stranger.typed('npx kernloop profile demo', 5)).toMatch(
      /ENVIRONMENT_NATIVE_MISSING[^]*npm install @kernloop\/native-linux-x64@[^]*--omit=optional/,
    );
  });

  it('has started no compiler but hipcc', () => {
    expect(stranger.buildToolCalls).toBe('');
  });
});

describe('a stranger with Nx', () => {
  const stranger = new Stranger();
  afterAll(() => stranger.dispose());

  it('adopts a program with two commands, and extracts its kernels', async () => {
    stranger.write('work/.gitignore', 'node_modules\n');
    stranger.write('work/nx.json', '{}\n');
    await stranger.typed('npm install --save-dev nx');
    await stranger.typed(hipcc);
    for (const words of adoptWithNx) await stranger.typed(words.join(' '));
    expect(existsSync(stranger.path('node_modules/@nx/devkit'))).toBe(false);
    for (const words of [
      'git init -q -b main',
      'git add -A',
      'git -c user.name=s -c user.email=s@localhost commit -q -m start',
    ])
      await stranger.typed(words);
    expect(await stranger.typed('npx nx run demo:extract-kernel')).toContain('scale');
    expect(existsSync(stranger.path('kernels/demo/scale/kernel_variant.hip'))).toBe(true);
    await stranger.typed('git add -A');
    await stranger.typed('git -c user.name=s -c user.email=s@localhost commit -q -m extracted');
  });

  it('gets a verdict on exactly what was edited', async () => {
    stranger.edit('kernels/demo/shift/kernel_variant.hip', 'values[i] += offset;', 'values[i] = offset + values[i];');
    const passed = await stranger.typed('npx nx affected -t validate --base=HEAD --outputStyle=static');
    expect(passed).toContain('Result: PASS');
    expect(passed).not.toContain('demo-scale:validate');
    stranger.edit('kernels/demo/shift/kernel_variant.hip', 'offset + values[i]', 'offset - values[i]');
    expect(await stranger.typed('npx nx affected -t validate --base=HEAD --outputStyle=static', 1)).toContain(
      'Result: FAIL',
    );
  });

  it('keeps the graph where the grammar does not load', async () => {
    writeFileSync(stranger.path('node_modules/kernloop/grammars/tree-sitter-cuda.wasm'), 'broken');
    const projects = await stranger.typed('npx nx show projects');
    expect(
      projects
        .split('\n')
        .filter((name) => name.startsWith('demo'))
        .sort(),
    ).toEqual(['demo', 'demo-scale', 'demo-shift']);
  });

  it('has started no compiler but hipcc', () => {
    expect(stranger.buildToolCalls).toBe('');
  });
});

/** Runs the lines under "Install" and "Your own program" in README.md verbatim, in a folder with only a program. */
describe('a reader of README.md', () => {
  const reader = new Stranger();
  afterAll(() => reader.dispose());
  const commands = fencesOf(readFileSync(join(repository, 'README.md'), 'utf8'))
    .filter(({ attribute }) => attribute === 'needs=package')
    .flatMap(({ content }) => commandsOf(content));
  const lines = commands.map(({ text }) => text.replace(/\s+#.*/, ''));

  it('finds lines for both', () => {
    expect(lines).toEqual(expect.arrayContaining(['npx kernloop doctor', 'npx nx run app:extract-kernel']));
    expect(lines).toContain('npx kernloop extract -k scale -- ./demo');
    expect(lines[0]).toMatch(/^npm install .*kernloop/);
  });

  it('types them one after the other, and has the kernel of a program as a project', async () => {
    const program = readFileSync(join(repository, 'e2e', 'fixtures', 'stranger', 'demo.hip'), 'utf8');
    rmSync(reader.path(), { recursive: true });
    reader.write('work/demo.hip', program);
    reader.write('work/my/app/app.hip', program.replaceAll(/\bscale\b/g, 'my_kernel'));
    await reader.typed('hipcc --offload-arch=gfx90a -o my/app/app my/app/app.hip');
    for (const command of commands) await reader.follows(command);
    const verdicts = commands.flatMap(({ output }) => output.filter((line) => line.startsWith('Result: ')));
    expect(verdicts.map((line) => line.slice(0, 12))).toEqual(['Result: PASS', 'Result: FAIL']);
    expect(readFileSync(reader.path('kernels/app/my_kernel/kernel_variant.hip'), 'utf8')).toContain('my_kernel');
    expect(reader.buildToolCalls).toBe('');
  });
});
