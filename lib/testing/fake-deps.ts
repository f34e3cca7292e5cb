import { basename } from 'node:path';
import type { NativePaths } from '../native/native-paths';
import type { Deps } from '../deps/deps';
import type { ProcessRunner, RunOptions, RunResult } from '../support/exec';
import { LineSplitter } from '../support/lines';
import type { Reporter } from '../support/report';
import { realArchive } from './real-archive';

export interface Call {
  program: string;
  args: readonly string[];
  options: RunOptions;
  /** Resolves once the stage has closed stdin. */
  stdinClosed: Promise<void>;
  print: (this: void, event: object | string) => void;
}

/** Fake of one program: prints lines, touches files, and returns an exit code or more of a result. */
export type FakeProgram = (call: Call) => Promise<number | Partial<RunResult>> | number | Partial<RunResult>;

export interface FakeDeps extends Deps {
  readonly calls: { program: string; args: readonly string[]; env: Readonly<Record<string, string | undefined>> }[];
  readonly said: { info: string[]; warn: string[]; result: string[]; output: string[] };
}

/** Programs are found by the last part of their path. Code objects are described by kernloop's own program. */
export function fakeDeps(
  programs: Readonly<Record<string, FakeProgram>>,
  native: NativePaths,
  overrides: Partial<Deps> = {},
): FakeDeps {
  const calls: FakeDeps['calls'] = [];
  const said: FakeDeps['said'] = { info: [], warn: [], result: [], output: [] };
  const report: Reporter = {
    info: (line) => said.info.push(line),
    warn: (line) => said.warn.push(line),
    result: (line) => said.result.push(line),
    output: (chunk) => said.output.push(chunk),
  };
  const run: ProcessRunner = (file, args, options = {}) => {
    const program = basename(file);
    // Reading a code object is no step of a stage.
    const reads = program === 'kernloop-archive' && args[0] === 'describe';
    if (!reads) calls.push({ program, args, env: options.env ?? {} });
    let closeStdin = (): void => undefined;
    const stdinClosed = new Promise<void>((resolve) => {
      closeStdin = resolve;
    });
    const result = play(reads ? realArchive : programs[program], { program, args, options, stdinClosed });
    return {
      pid: 999_999,
      result,
      exited: result.then(() => undefined),
      closeOutput: () => undefined,
      closeStdin,
      kill: () => closeStdin(),
    };
  };
  return {
    run,
    clock: { now: () => new Date(0), monotonicMs: () => 0 },
    env: {},
    report,
    native,
    signal: new AbortController().signal,
    ...overrides,
    calls,
    said,
  };
}

async function play(program: FakeProgram | undefined, call: Omit<Call, 'print'>): Promise<RunResult> {
  const ended: RunResult = {
    exitCode: 0,
    signal: null,
    stdoutTail: '',
    stderrTail: '',
    timedOut: false,
    startError: null,
  };
  if (!program) return { ...ended, exitCode: null, startError: 'ENOENT' };
  let text = '';
  const lines = new LineSplitter((line) => call.options.onStdoutLine?.(line));
  const print = (event: object | string): void => {
    const line = `${typeof event === 'string' ? event : JSON.stringify(event)}\n`;
    text += line;
    call.options.onStdout?.(line);
    lines.push(line);
  };
  await Promise.resolve();
  const result = await program({ ...call, print });
  return { ...ended, stdoutTail: text, ...(typeof result === 'number' ? { exitCode: result } : result) };
}
