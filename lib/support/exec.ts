import { existsSync } from 'node:fs';
import { execa } from 'execa';
import type { Environment } from './environment';
import { LineSplitter } from './lines';
import { isExecutable, pathFolders, programsIn } from './programs';
import { stdinOf, type ProgramInput } from './stdin';

/** What is kept of a child's output for error messages; everything is still streamed. */
const tailBytes = 16 * 1024;

export interface RunOptions {
  cwd?: string;
  /** Variables on top of the environment of this process; `undefined` removes one. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Each complete line of stdout. */
  onStdoutLine?: (line: string) => void;
  /** Raw output as it comes, of either stream. */
  onStdout?: (chunk: string) => void;
  onStderr?: (chunk: string) => void;
  /** Keep stdin open until `closeStdin` is called; otherwise the child reads end-of-file at once. */
  holdStdin?: boolean;
  /** What the child reads from stdin. */
  input?: ProgramInput;
  timeoutMs?: number;
  /** What the program gets when this process dies without a chance to stop it; SIGKILL if left out. */
  parentDeathSignal?: 'SIGTERM' | 'SIGKILL';
}

export interface RunResult {
  exitCode: number | null;
  signal: string | null;
  /** The end of each stream, at most 16 KiB. */
  stdoutTail: string;
  stderrTail: string;
  timedOut: boolean;
  /** The system's code (`ENOENT`, `EACCES`, …) when the program could not be started. */
  startError: string | null;
}

interface RunningProcess {
  readonly pid: number | undefined;
  /** Once the program has ended and nothing that it left behind holds its output open any more. */
  readonly result: Promise<RunResult>;
  /** Once the program itself has ended. */
  readonly exited: Promise<void>;
  /** Reads no further, so that `result` comes although a process that was left behind holds the output open. */
  closeOutput(): void;
  closeStdin(): void;
  kill(signal?: NodeJS.Signals): void;
}

/** What a program is given, with these on top. */
export function givenEnvironment(env: RunOptions['env'] = {}): Environment {
  return { ...process.env, ...env };
}

export type ProcessRunner = (file: string, args: readonly string[], options?: RunOptions) => RunningProcess;

/** Node's timers fire at once beyond it: 24 days. */
const longestTimerMs = 2 ** 31 - 1;

const groups = new Set<number>();

/**
 * Starts a program in a process group of its own, so that stopping it stops what it started, and so that a Ctrl-C reaches
 * it only through `stopAll`, in the order the stages need.
 */
export const runProcess: ProcessRunner = (file, args, options = {}) => {
  const [program, programArgs] = dyingWithParent(file, args, options.parentDeathSignal ?? 'SIGKILL');
  const input = options.input && stdinOf(options.input);
  const subprocess = execa(program, programArgs, {
    cwd: options.cwd,
    env: options.env,
    extendEnv: true,
    stdin: input?.stdin ?? (options.holdStdin ? 'pipe' : 'ignore'),
    stdout: 'pipe',
    stderr: 'pipe',
    buffer: false,
    encoding: 'utf8',
    reject: false,
    detached: true,
    cleanup: false,
    timeout: 0,
  });
  const { pid } = subprocess;
  input?.started(subprocess.stdin);
  if (pid !== undefined) groups.add(pid);

  const stdoutTail = new Tail();
  const stderrTail = new Tail();
  const lines = new LineSplitter((line) => options.onStdoutLine?.(line));
  subprocess.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdoutTail.push(chunk);
    options.onStdout?.(chunk);
    if (options.onStdoutLine) lines.push(chunk);
  });
  subprocess.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderrTail.push(chunk);
    options.onStderr?.(chunk);
  });

  const exited = new Promise<void>((resolve) => {
    if (pid === undefined) resolve();
    subprocess.once('exit', () => resolve());
  });

  let timedOut = false;
  const timer = options.timeoutMs
    ? setTimeout(
        () => {
          timedOut = true;
          killGroup(pid, 'SIGKILL');
        },
        Math.min(options.timeoutMs, longestTimerMs),
      )
    : undefined;

  const result = subprocess.then((ended): RunResult => {
    clearTimeout(timer);
    if (pid !== undefined) groups.delete(pid);
    if (options.onStdoutLine) lines.end();
    return {
      exitCode: ended.exitCode ?? null,
      signal: ended.signal ?? null,
      stdoutTail: stdoutTail.text,
      stderrTail: stderrTail.text,
      timedOut,
      startError: pid === undefined ? (ended.code ?? 'UNKNOWN') : null,
    };
  });

  return {
    pid,
    result,
    exited,
    closeOutput: () => {
      subprocess.stdout?.destroy();
      subprocess.stderr?.destroy();
    },
    closeStdin: () => subprocess.stdin?.end(),
    kill: (signal = 'SIGTERM') => killGroup(pid, signal),
  };
};

/** util-linux; part of every Debian. Without it a program may outlive a stage that was killed. */
const setpriv = '/usr/bin/setpriv';

/** Through setpriv, which replaces itself by the program. A program that cannot be found is started as it is, for its error. */
function dyingWithParent(
  file: string,
  args: readonly string[],
  signal: 'SIGTERM' | 'SIGKILL',
): [string, readonly string[]] {
  const isFound = file.includes('/')
    ? isExecutable(file)
    : programsIn(pathFolders(process.env['PATH']), file).length > 0;
  if (!isFound || !existsSync(setpriv)) return [file, args];
  return [setpriv, ['--pdeathsig', signal.slice(3), '--', file, ...args]];
}

/** Stops every process group that is still running; called once a signal has arrived. */
export function stopAll(signal: NodeJS.Signals): void {
  for (const pid of groups) killGroup(pid, signal);
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has already ended.
  }
}

class Tail {
  text = '';

  push(chunk: string): void {
    this.text = (this.text + chunk).slice(-tailBytes);
  }
}
