import { Writable } from 'node:stream';
import { exitCodeOf } from '../cli/main';
import * as installed from './harness';
import { newFolder, type Environment, type Outcome, type RunOptions } from './harness';

/**
 * Replaces a stream of this process while a verb runs in it. All verbs share one object per stream, because progress
 * output keeps the first one that it saw.
 */
class Taken extends Writable {
  constructor(private readonly stream: 'stdout' | 'stderr') {
    super();
  }

  /** Synchronous, like writes to files and terminals. */
  override write(chunk: unknown): boolean {
    if (outcome === undefined) throw new Error(`${this.stream} of a verb that has ended: ${String(chunk)}`);
    outcome[this.stream] += String(chunk);
    outcome.text += String(chunk);
    return true;
  }
}

/** The outcome of the verb that is running. */
let outcome: Outcome | undefined;
const streams = { stdout: new Taken('stdout'), stderr: new Taken('stderr') };

/** Runs a verb in this process as in a separate one: with its output, environment, working directory and exit code. */
async function inThisProcess(args: readonly string[], { cwd, env = {} }: RunOptions): Promise<Outcome> {
  const before = { cwd: process.cwd(), env: { ...process.env }, stdout: process.stdout, stderr: process.stderr };
  const mine: Outcome = { code: 0, stdout: '', stderr: '', text: '' };
  outcome = mine;
  try {
    setStreams(streams);
    setEnvironment({ ...before.env, ...env });
    if (cwd !== undefined) process.chdir(cwd);
    // The app gets no stdin, like child processes of the harness.
    mine.code = await exitCodeOf(['node', 'kernloop', ...args], { input: undefined });
  } finally {
    outcome = undefined;
    process.chdir(before.cwd);
    setEnvironment(before.env);
    setStreams(before);
  }
  return mine;
}

function setStreams({ stdout, stderr }: Record<'stdout' | 'stderr', unknown>): void {
  for (const [name, value] of Object.entries({ stdout, stderr }))
    Object.defineProperty(process, name, { value, configurable: true });
}

function setEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value;
}

/**
 * A workspace for tests of stages and native programs, not of the installed package: `kernloop` runs the verb in this
 * process. Nx, shells, and verbs that a test stops or runs in parallel need the packages, which are installed on first
 * use.
 */
export class Workspace extends installed.Workspace {
  static override create(apps: readonly string[], env: Environment = {}): Workspace {
    return new Workspace(newFolder(), env).filled(apps);
  }

  protected override begin(): void {
    return;
  }

  override async kernloop(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
    const needsProcess = options.when !== undefined || options.started !== undefined || outcome !== undefined;
    if (needsProcess) return super.kernloop(args, options);
    return this.checked(args, await inThisProcess(args, this.settings(options)));
  }
}
