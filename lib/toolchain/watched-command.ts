import { existsSync, readFileSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { buildOutput } from './build-output';
import { parseCompileArguments } from './compile-arguments';
import { expandedArguments, withoutLaunchers } from './compile-database';
import { parseNvccArguments } from './nvcc-arguments';
import { isNvcc } from './translation-unit';

/** One compiler that a build started, as native/watch/watch.cpp saw it. */
export interface WatchedCommand {
  /** Absolute. */
  directory: string;
  /** The program, as the kernel was told it. */
  executed: string;
  words: string[];
  /** Variables that the compiler takes options from. */
  variables: Record<string, string>;
  /** Response files as they were then, by their absolute paths. */
  responses: Map<string, string>;
}

/** An entry of clang's JSON compilation database. */
export interface DatabaseEntry {
  directory: string;
  file: string;
  arguments: string[];
  output: string;
}

/** Reads a record; null where it is none. */
export function readWatchedCommand(record: string): WatchedCommand | null {
  const command: WatchedCommand = { directory: '', executed: '', words: [], variables: {}, responses: new Map() };
  let response = '';
  for (const field of record.split('\0').filter((text) => text !== '')) {
    const value = field.slice(1);
    if (field[0] === 'd') command.directory = value;
    else if (field[0] === 'x') command.executed = value;
    else if (field[0] === 'a') command.words.push(value);
    else if (field[0] === 'e')
      command.variables[value.slice(0, value.indexOf('='))] = value.slice(value.indexOf('=') + 1);
    else if (field[0] === 'r') response = resolve(command.directory, value);
    else if (field[0] === 't') command.responses.set(response, value);
    else return null;
  }
  return command.directory === '' || command.words.length === 0 ? null : command;
}

/** What of a command compiles nothing that is kept: questions to a compiler, and its own parts. */
const compilesNothing =
  /^(-cc1|-cc1as|-E|-M|-MM|-###|--?preprocess|--?dryrun|--?generate-(nonsystem-)?dependencies|--?help|-V|--?version|-dump\w+|--?print-.*|-fsyntax-only|--?device-link|-dlink)$/;

/** Inputs that are no sources. */
const notCompiled = /\.(o|obj|a|lo|la|so|ptx|cubin|fatbin|hsaco|co|bc|ll|s|S|i|ii|ld|lds|lib|gch|pch)$|\.so\.[\d.]+$/;

/** What CMake compiles to learn of a compiler. */
const trials = /\/CMakeFiles\/([^/]+\/CompilerId|CMakeTmp\/|CMakeScratch\/)/;

/** The sources that a command compiles, each as an entry of the database; of those that are gone again there is none. */
export function databaseEntries({ directory, executed, words, responses }: WatchedCommand): DatabaseEntry[] {
  const [named = '', ...given] = withoutLaunchers(words);
  const isItself = basename(named) === basename(executed) && executed.includes('/');
  const compiler = isItself ? resolve(directory, executed) : named;
  const args = expandedArguments(compiler, given, directory, (path) => responses.get(path) ?? onDisk(path));
  if (args.some((word) => compilesNothing.test(word))) return [];
  const parsed = isNvcc(basename(compiler)) ? parseNvccArguments(args).args : parseCompileArguments(args);
  const sources = parsed
    .filter(({ kind, value }) => kind === 'input' && value !== null && value !== '-' && !isNoSource(value))
    .map(({ value }) => resolve(directory, value ?? ''));
  return sources
    .filter((file) => !trials.test(file) && existsSync(file))
    .map((file) => ({
      directory,
      file,
      arguments: [compiler, ...args],
      output: buildOutput(args, { directory, file, stated: undefined }),
    }));
}

function isNoSource(path: string): boolean {
  return notCompiled.test(path) || extname(path) === '';
}

/** One that another response file names. */
function onDisk(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
