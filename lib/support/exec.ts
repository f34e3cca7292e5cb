import { existsSync } from 'node:fs';
import { execa } from 'execa';
import type { Environment } from './environment';
import { cpuSecondsOfEnded } from './children-time';
import { LineSplitter } from './lines';
import { isExecutable, pathFolders, programsIn } from './programs';
import { stdinOf, type ProgramInput } from './stdin';

/** Bytes of a child's output kept for error messages; all of it is streamed. */
const tailBytes = 16 * 1024;

export interface RunOptions {
  cwd?: string;
  /** Variables added to this process's environment; `undefined` removes one. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Called with each complete line of stdout. */
  onStdoutLine?: (line: string) => void;
  /** Called with raw output of the stream as it arrives. */
  onStdout?: (chunk: string) => void;
  onStderr?: (chunk: string) => void;
  /** Keeps stdin open until `closeStdin` is called; otherwise the child reads end-of-file at once. */
  holdStdin?: boolean;
  /** Input for the child's stdin. */
  input?: ProgramInput;
  timeoutMs?: number;
  /** Signal that the program receives if this process dies without stopping it; default SIGKILL. */
  parentDeathSignal?: 'SIGTERM' | 'SIGKILL';
}

export interface RunResult {
  exitCode: number | null;
  signal: string | null;
  /** Last part of each stream, at most 16 KiB. */
  stdoutTail: string;
  stderrTail: string;
  timedOut: boolean;
  /** System error code (`ENOENT`, `EACCES`, …) if the program could not be started. */
  startError: string | null;
  /** CPU time of the program and of all that it waited for; of programs that end together, one may have that of all. */
  cpuSeconds?: number;
}

interface RunningProcess {
  readonly pid: number | undefined;
  /** Resolves once the program has ended and no process that it left holds its output open. */
  readonly result: Promise<RunResult>;
  /** Resolves once the program itself has ended. */
  readonly exited: Promise<void>;
  /** Stops reading, so that `result` resolves even if a remaining process holds the output open. */
  closeOutput(): void;
  closeStdin(): void;
  kill(signal?: NodeJS.Signals): void;
}

/** Environment of a program: this process's, with `env` added. */
export function givenEnvironment(env: RunOptions['env'] = {}): Environment {
  return { ...process.env, ...env };
}

export type ProcessRunner = (file: string, args: readonly string[], options?: RunOptions) => RunningProcess;

/** Longest delay of Node's timers, 24 days; longer ones fire at once. */
const longestTimerMs = 2 ** 31 - 1;

const groups = new Set<number>();

/**
 * Starts a program in its own process group. Stopping it then also stops its children, and Ctrl-C reaches it only
 * through `stopAll`, in the order that the stages need.
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

  let cpuSeconds = 0;
  const exited = new Promise<void>((resolve) => {
    if (pid === undefined) resolve();
    subprocess.once('exit', () => {
      cpuSeconds = cpuSecondsOfEnded();
      resolve();
    });
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
      cpuSeconds,
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

/** Part of util-linux, which every Debian has. Without it a program may outlive a killed stage. */
const setpriv = '/usr/bin/setpriv';

/** Runs the program through setpriv, which execs it. A missing program is started directly, for its error. */
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

/** Signals every process group that still runs; called after a signal. */
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
