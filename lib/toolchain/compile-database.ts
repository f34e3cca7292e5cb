import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { z } from 'zod';
import { KernloopError, messageOf } from '../support/error';
import { parseJson, readText } from '../support/schema';
import { buildOutput } from './build-output';
import { shellWords } from './shell-words';

/** A compilation of a file, as the app's build runs it. */
export interface CompileCommand {
  /** Absolute path. */
  directory: string;
  /** Absolute path. */
  file: string;
  compiler: string;
  /** Arguments without the compiler, response files expanded. */
  args: string[];
  /** Absolute path of the output. */
  output: string;
}

const databaseSchema = z.array(
  z.looseObject({
    directory: z.string(),
    file: z.string(),
    command: z.string().optional(),
    arguments: z.array(z.string()).optional(),
    output: z.string().optional(),
  }),
);

const maxResponseFiles = 64;

/** Reads a `compile_commands.json` (clang's JSON compilation database). */
export function readCompileDatabase(path: string): CompileCommand[] {
  const text = readText(path, 'COMPILE_DATABASE_INVALID', 'build the app with CMAKE_EXPORT_COMPILE_COMMANDS=ON');
  let entries: z.output<typeof databaseSchema>;
  try {
    entries = parseJson(path, text, databaseSchema);
  } catch (error) {
    throw new KernloopError(
      'COMPILE_DATABASE_INVALID',
      messageOf(error),
      'build the app again, so that it is written anew',
      {
        cause: error,
      },
    );
  }
  return entries.map((entry, index) => {
    const directory = resolve(dirname(path), entry.directory);
    const words = entry.arguments ?? (entry.command === undefined ? [] : shellWords(entry.command));
    const [compiler, ...args] = withoutLaunchers(words);
    if (compiler === undefined) {
      throw new KernloopError(
        'COMPILE_DATABASE_INVALID',
        `${path}: entry ${index} (${entry.file}) has no command`,
        'build the app again',
      );
    }
    const file = resolve(directory, entry.file);
    const expanded = expandedArguments(compiler, args, directory, onDisk);
    const output = buildOutput(expanded, { directory, file, stated: entry.output });
    return { directory, file, compiler, args: expanded, output };
  });
}

const launchers = new Set(['ccache', 'sccache', 'distcc', 'icecc']);

/** Returns the text of a response file; undefined if there is none. */
type ReadResponse = (path: string) => string | undefined;

function onDisk(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

/** Arguments of a command with response files expanded. */
export function expandedArguments(
  compiler: string,
  args: readonly string[],
  directory: string,
  read: ReadResponse,
): string[] {
  const plain = basename(compiler).startsWith('nvcc') ? withResponseFileArguments(args, directory, read) : args;
  return expandResponseFiles(plain, directory, read);
}

/** Removes compiler caches and `env`, which sets variables for the compiler: neither changes what is compiled. */
export function withoutLaunchers(words: string[]): string[] {
  const [first = ''] = words;
  if (launchers.has(basename(first))) return withoutLaunchers(words.slice(1));
  const rest = basename(first) === 'env' ? behindEnv(words.slice(1)) : words.slice(assignments(words));
  return rest.length === 0 || rest.length === words.length ? words : withoutLaunchers(rest);
}

/** Command after the options and assignments of env (GNU coreutils); empty if an option affects more than variables. */
function behindEnv(words: string[]): string[] {
  const [option = ''] = words;
  if (/^(-|-i|--ignore-environment|-u.+|--unset=.*)$/.test(option)) return behindEnv(words.slice(1));
  if (/^(-u|--unset)$/.test(option)) return behindEnv(words.slice(2));
  if (option === '--') return words.slice(1 + assignments(words.slice(1)));
  return option.startsWith('-') ? [] : words.slice(assignments(words));
}

/** Number of leading words of the form `NAME=VALUE`. */
function assignments(words: readonly string[]): number {
  const count = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
  return count === -1 ? words.length : count;
}

/** Rewrites nvcc's response files, `--options-file x,y`, as `@x @y`. CMake puts include folders into such files. */
function withResponseFileArguments(args: readonly string[], directory: string, read: ReadResponse): string[] {
  const option = /^--?(?:options-file|optf)(?:=(.*))?$/;
  const plain: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? '';
    const match = option.exec(word);
    if (!match) {
      plain.push(word);
      continue;
    }
    for (const path of (match[1] ?? args[++index] ?? '').split(',')) {
      if (read(resolve(directory, path)) === undefined) throw responseFileMissing(resolve(directory, path));
      plain.push(`@${path}`);
    }
  }
  return plain;
}

function responseFileMissing(path: string): KernloopError {
  return new KernloopError(
    'COMPILE_DATABASE_INVALID',
    `${path}, which holds options of a compile command, does not exist`,
    'build the app again',
  );
}

function expandResponseFiles(args: readonly string[], directory: string, read: ReadResponse): string[] {
  let budget = maxResponseFiles;
  const expand = (arg: string): string[] => {
    const path = resolve(directory, arg.slice(1));
    const text = arg.startsWith('@') ? read(path) : undefined;
    if (text === undefined) return [arg];
    budget -= 1;
    if (budget < 0) {
      throw new KernloopError(
        'COMPILE_DATABASE_INVALID',
        `${path}: response files nest too deeply`,
        'build the app again',
      );
    }
    return shellWords(text).flatMap(expand);
  };
  return args.flatMap(expand);
}
