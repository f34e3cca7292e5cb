import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { throwIfInterrupted } from '../support/interrupted';
import { refusedOutput } from '../support/unwritable';
import { HeldStack, requireRoom } from './full-disk';
import { runDriver } from './run-driver';

export type CompileDeps = Pick<Deps, 'run' | 'report' | 'signal' | 'env' | 'native'>;

export interface CompilerCommand {
  program: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  limitSeconds: number;
  /** False for a program that a driver starts. */
  isDriver?: boolean;
  /** Folder of the output, if it is not `cwd`. */
  outputFolder?: string;
  /** Compiled file, with the path that the user knows. */
  variantFile: string;
  /** Whether the app links device code of several units, of which this one is compiled alone. */
  isLinked?: boolean;
  /** Rewrites the compiler's messages with names that the user knows. */
  describe?: (text: string) => string;
}

/** Formats of errors: clang and gcc write `error:`, ptxas and nvlink `error   :`, nvcc itself `nvcc fatal   :`. */
const errorLine = /\b(error|fatal)\s*:|\berror #/;

const undefinedOfNvlink = /Undefined reference to '([^']+)'/g;
const undefinedOfLld = /error: undefined (?:hidden |protected )?symbol: (.+)/g;

/** Runs a compiler, passes on its output, and fails with its first error. */
export async function runCompiler(command: CompilerCommand, deps: CompileDeps): Promise<void> {
  const { program, args, cwd, env, limitSeconds, variantFile } = command;
  const describe = command.describe ?? ((text) => text);
  const stderr = new HeldStack((text) => deps.report.output(describe(text)));
  const options = {
    ...{ cwd, env, timeoutMs: limitSeconds * 1000 },
    onStdout: (chunk: string) => deps.report.output(describe(chunk)),
    onStderr: stderr.push,
  };
  const ended = await (command.isDriver === false
    ? deps.run(program, args, options).result
    : runDriver(program, args, options, deps));
  throwIfInterrupted(deps.signal);
  if (ended.exitCode !== 0 && !ended.timedOut) {
    requireRoom(`${variantFile} was not compiled`, ended, [command.outputFolder ?? cwd]);
    requireOutput(`${variantFile} was not compiled`, describe(ended.stderrTail));
  }
  stderr.release();
  if (ended.exitCode === 0) return;
  const said = describe(ended.stderrTail);
  const undefinedSymbols = [...said.matchAll(command.isLinked ? undefinedOfLld : undefinedOfNvlink)].map(
    (match) => match[1] ?? '',
  );
  if (undefinedSymbols.length > 0) throw externalSymbols(variantFile, undefinedSymbols);
  const errors = said.split('\n').filter((line) => errorLine.test(line));
  const reason = ended.timedOut
    ? `it ran longer than ${limitSeconds} s`
    : (errors[0] ?? ended.startError ?? `${program} ended with ${ended.exitCode ?? ended.signal ?? 'no exit code'}`);
  throw new KernloopError(
    'COMPILE_FAILED',
    `${variantFile} did not compile: ${reason}`,
    `correct it; the captured source is in pristine/${variantFile}`,
    { brief: briefly(variantFile, reason) },
  );
}

/** Place of the first error, which clang and gcc have in front of a message that was passed on already. */
function briefly(variantFile: string, reason: string): string | undefined {
  const [, path, place] = /^(\S+?):(\d+:\d+): (?:fatal )?error:/.exec(reason) ?? [];
  return path === undefined ? undefined : `${variantFile} did not compile, see ${basename(path)}:${place} above`;
}

/** Throws if a compiler says that it could not write, which is no fault of the source. */
export function requireOutput(what: string, said: string): void {
  const refused = refusedOutput(said);
  if (refused === undefined) return;
  throw new KernloopError(
    'FILE_UNWRITABLE',
    `${what}: the compiler cannot write: ${refused.trim()}`,
    `make room (\`df -h\`: the disk of the reproducer, and of ${tmpdir()}), or look at the permissions of build/, and run the command again`,
  );
}

function externalSymbols(variantFile: string, symbols: readonly string[]): KernloopError {
  const names = [...new Set(symbols)];
  return new KernloopError(
    'RDC_UNSUPPORTED',
    `${variantFile} is linked with device code of other translation units: ${names.slice(0, 8).join(', ')}` +
      (names.length > 8
        ? ` and ${names.length - 8} more are defined there`
        : names.length === 1
          ? ' is defined there'
          : ' are defined there'),
    'only device code of one translation unit can be recompiled; include the definitions in this one. The captured code can still be replayed with --variant none',
  );
}
