import { existsSync, readFileSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { buildOutput } from './build-output';
import { parseCompileArguments } from './compile-arguments';
import { expandedArguments, withoutLaunchers } from './compile-database';
import { parseNvccArguments } from './nvcc-arguments';
import { isNvcc } from './translation-unit';

/** A compiler that a build started, as native/watch/watch.cpp saw it. */
export interface WatchedCommand {
  /** Absolute path. */
  directory: string;
  /** Program as passed to the kernel. */
  executed: string;
  words: string[];
  /** Variables from which the compiler takes options. */
  variables: Record<string, string>;
  /** Contents of response files at that time, by absolute path. */
  responses: Map<string, string>;
}

/** An entry of clang's JSON compilation database. */
export interface DatabaseEntry {
  directory: string;
  file: string;
  arguments: string[];
  output: string;
}

/** Reads a record; null if it is none. */
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

/** Options of commands that compile nothing to keep: queries, and the compiler's own parts. */
const compilesNothing =
  /^(-cc1|-cc1as|-E|-M|-MM|-###|--?preprocess|--?dryrun|--?generate-(nonsystem-)?dependencies|--?help|-V|--?version|-dump\w+|--?print-.*|-fsyntax-only|--?device-link|-dlink)$/;

/** Inputs that are no sources. */
const notCompiled = /\.(o|obj|a|lo|la|so|ptx|cubin|fatbin|hsaco|co|bc|ll|s|S|i|ii|ld|lds|lib|gch|pch)$|\.so\.[\d.]+$/;

/** Files that CMake compiles to examine a compiler. */
const trials = /\/CMakeFiles\/([^/]+\/CompilerId|CMakeTmp\/|CMakeScratch\/)/;

/** Database entries for the sources that a command compiles; deleted sources have none. */
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

/** Reads a response file that another one names. */
function onDisk(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
