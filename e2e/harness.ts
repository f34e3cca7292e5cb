import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { checkedOutput } from '../lib/testing/published-schema';

export const repository = join(__dirname, '..');
/** The node_modules that global-setup.cjs filled. */
export const installed = process.env['E2E_INSTALLED'] ?? '';
/** Tarballs that were installed there (install.cjs). */
export const packagesOfRun = join(installed, '..', 'packages');
/** npm settings to install from the registry of this checkout. */
export const npmSettings = JSON.parse(process.env['E2E_NPM'] ?? '{}') as Record<string, string>;
/** The checkout's own build, which has test programs besides the products in packages. */
export const nativeDirectory = join(repository, 'native', 'build');

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
  /** Both streams in order, for messages. */
  text: string;
}

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string | undefined>;
  /** Called once with the running process when its output first matches. */
  when?: { output: RegExp; then: (kill: (signal: NodeJS.Signals) => void) => void };
  /** Called with a function that ends the process and its children. */
  started?: (kill: (signal: NodeJS.Signals) => void) => void;
  timeoutMs?: number;
}

/** Runs a program to its end; never throws for its exit code. */
export function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const kill = (signal: NodeJS.Signals): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, signal);
      } catch (error) {
        // The process may have ended by itself.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    };
    options.started?.(kill);
    const timer = setTimeout(() => kill('SIGKILL'), options.timeoutMs ?? 240_000);
    const outcome = { stdout: '', stderr: '', text: '' };
    let pending = options.when;
    const take = (stream: 'stdout' | 'stderr') => (data: Buffer) => {
      outcome[stream] += data.toString();
      outcome.text += data.toString();
      if (pending?.output.test(outcome.text)) {
        const { then } = pending;
        pending = undefined;
        then(kill);
      }
    };
    child.stdout.on('data', take('stdout'));
    child.stderr.on('data', take('stderr'));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ ...outcome, code: code ?? (signal === 'SIGINT' ? 130 : 137) });
    });
  });
}

/** Name of the stage: verbs of two words have a dash in it. */
function verbOf([first = '', second = '']: readonly string[]): string {
  return existsSync(join(repository, 'schemas', 'output', `${first}-${second}.schema.json`))
    ? `${first}-${second}`
    : first;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Nx runs each plugin in a process, including its own three, which is 40 % of a command's cost. Tests use one process,
 * except with the daemon and if a test needs Nx as users have it.
 */
const oneProcess: Environment = { NX_ISOLATE_PLUGINS: 'false' };
export const asUsersHaveIt: Environment = { NX_ISOLATE_PLUGINS: undefined };

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'kernloop-e2e-'));

/** A new workspace with the packages installed, as after `npm install kernloop nx`. */
export class Workspace {
  protected constructor(
    readonly root: string,
    private readonly env: Environment,
  ) {}

  static create(apps: readonly string[], env: Environment = {}): Workspace {
    return new Workspace(newFolder(), env).filled(apps);
  }

  protected filled(apps: readonly string[]): this {
    this.write('package.json', { name: 'workspace', private: true });
    this.write('nx.json', { plugins: ['kernloop/plugin'], cacheDirectory: '.nx/cache', analytics: false });
    this.write('.gitignore', 'node_modules\n.nx\n.kernloop\nbuild\ncapture\n');
    this.begin();
    for (const app of apps) this.addApp(app);
    return this;
  }

  /** Copies an app of this repository (`examples/x`, `e2e/fixtures/x`) to the same folder name under `apps/`. */
  addApp(source: string): string {
    const target = this.path('apps', source.split('/').at(-1) ?? source);
    cpSync(join(repository, source), target, {
      recursive: true,
      filter: (path) => !/\/(build|kernels\/[^/]+\/[^/]+\/capture)$/.test(path),
    });
    return target;
  }

  path(...parts: string[]): string {
    return join(this.root, ...parts);
  }

  write(path: string, content: string | object): void {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    writeFileSync(this.path(path), typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
  }

  read(path: string): string {
    return readFileSync(this.path(path), 'utf8');
  }

  json<T>(path: string): T {
    return JSON.parse(this.read(path)) as T;
  }

  edit(path: string, change: (text: string) => string): void {
    const before = this.read(path);
    const after = change(before);
    if (after === before) throw new Error(`the edit of ${path} changed nothing`);
    writeFileSync(this.path(path), after);
  }

  nx(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    this.withPackages();
    return run(process.execPath, [this.path('node_modules/nx/dist/bin/nx.js'), ...args], this.settings(options));
  }

  /** With --json, stdout must hold one document that follows the published schema of the verb. */
  async kernloop(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    return this.checked(args, await run(process.execPath, [this.program(), ...args], this.settings(options)));
  }

  protected checked(args: readonly string[], outcome: Outcome): Outcome {
    if (args.includes('--json')) checkedOutput(verbOf(args), outcome.stdout);
    return outcome;
  }

  /** Runs a shell line in which `kernloop` is the installed one, to test its stdin. */
  shell(line: string): Promise<Outcome> {
    return run('bash', ['-c', `kernloop() { ${process.execPath} ${this.program()} "$@"; }; ${line}`], this.settings());
  }

  /** All files below a folder with size and modification time: differences show writes of a run. */
  snapshot(folder: string, ignore: RegExp = /node_modules|\.nx|\.git\//): Map<string, string> {
    const files = new Map<string, string>();
    const visit = (directory: string): void => {
      for (const entry of readdirSync(directory, { withFileTypes: true })) {
        const path = join(directory, entry.name);
        const name = relative(this.root, path);
        if (ignore.test(`${name}/`)) continue;
        if (entry.isDirectory()) visit(path);
        else {
          const { size, mtimeMs } = statSync(path);
          files.set(name, `${size} ${mtimeMs}`);
        }
      }
    };
    visit(this.path(folder));
    return files;
  }

  async git(...args: string[]): Promise<Outcome> {
    const identity = ['-c', 'user.name=e2e', '-c', 'user.email=e2e@localhost'];
    const outcome = await run('git', [...identity, ...args], { cwd: this.root });
    if (outcome.code !== 0) throw new Error(`git ${args.join(' ')}: ${outcome.text}`);
    return outcome;
  }

  async commitAll(): Promise<void> {
    if (!existsSync(this.path('.git'))) await this.git('init', '-q', '-b', 'main');
    await this.git('add', '-A');
    await this.git('commit', '-q', '-m', 'state');
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  /** The installed command line. */
  program(): string {
    this.withPackages();
    return this.path('node_modules/kernloop/bin/kernloop.js');
  }

  /**
   * Creates hard links to the installed packages: a test may add and replace files there, but must not edit them in
   * place.
   */
  withPackages(): void {
    const folder = this.path('node_modules');
    if (!existsSync(folder)) execFileSync('cp', ['--archive', '--link', installed, folder]);
  }

  /** Content that a workspace has from the start. */
  protected begin(): void {
    this.withPackages();
  }

  /** Working folder and variables of programs in this workspace. */
  settings(options: RunOptions = {}): RunOptions {
    return {
      cwd: this.root,
      ...options,
      env: {
        KERNLOOP_NATIVE_DIR: undefined,
        HIP_PLATFORM: 'amd',
        NX_DAEMON: 'false',
        NX_TUI: 'false',
        CI: 'true',
        FORCE_COLOR: '0',
        ...(options.env?.['NX_DAEMON'] === 'true' ? asUsersHaveIt : oneProcess),
        ...this.env,
        ...options.env,
      },
    };
  }
}
