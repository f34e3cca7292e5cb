import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KernloopError } from '../support/error';
import { askDriver } from './ask-driver';
import { compileReproducer } from './compile';
import { preprocessWithClang, runClang, throughOverlay } from './compile-clang';
import type { CompileRequest } from './compile-request';
import { isNeutral, partsOf, systemIncludes, textOf, type Part } from './preprocessed';
import type { CompileDeps } from './run-compiler';

/**
 * Headers of the system that a source includes before anything else, as clang has parsed them: two thirds of the time of a
 * small kernel. Clang itself refuses it where options or headers are other ones.
 */
export interface Preamble {
  /** Absolute path of the precompiled header. */
  readonly file: string;
  /** Absolute path of its source. */
  readonly header: string;
  /** The lines that the source of a variant must begin with, so that no macro of its own comes before these headers. */
  readonly prefix: string;
}

/** The lines before the first one that is no directive, no comment and not empty, up to the last `#include` of them. */
export function leadingIncludes(text: string): string {
  const lines = text.split('\n');
  const end = lines.findIndex(
    (line) => !/^\s*(?:#.*[^\\]|\/\/.*[^\\]|\/\/|\/\*(?:[^*]|\*(?!\/))*\*\/\s*)?$/.test(line),
  );
  const leading = lines.slice(0, end < 0 ? lines.length : end);
  const last = leading.findLastIndex((line) => /^\s*#\s*include\b/.test(line));
  return lines
    .slice(0, last + 1)
    .map((line) => `${line}\n`)
    .join('');
}

/**
 * Makes the preamble of a source, in the folder for temporary files of the request. Null if headers of the system would be
 * others in it: the source is preprocessed and compiled with and without, and text and code must be the same.
 */
export async function makePreamble(request: CompileRequest, deps: CompileDeps): Promise<Preamble | null> {
  const { scratch, recipe, reproducer } = request;
  if (scratch === undefined || recipe.language !== 'hip' || recipe.one_entry === true) return null;
  const prefix = leadingIncludes(readFileSync(join(reproducer, recipe.variant.file), 'utf8'));
  const isItself = recipe.main === recipe.variant.stands_for;
  if (prefix === '' || !isItself) return null;
  const header = join(scratch, 'preamble.h');
  const file = join(scratch, 'preamble.pch');
  try {
    const cold = await preprocessed(request, null, deps);
    const last = prefix.split('\n').length - 1;
    const begun = cold.slice(0, endOfPrefix(cold, request, last));
    const headers = systemIncludes(begun);
    if (headers.length === 0 || !isNeutral(begun)) return null;
    writeFileSync(header, headers.map((name) => `#include ${name}\n`).join(''));
    const warm = (await preprocessed(request, header, deps)).filter((part) => part.file !== header);
    if ([true, false].some((isSystem) => textOf(cold, isSystem) !== textOf(warm, isSystem))) return null;
    const partial = `${file}.partial`;
    if (!(await precompile(request, header, partial, deps))) return null;
    renameSync(partial, file);
    const preamble = { file, header, prefix };
    return (await codeOf(request, deps)).equals(await codeOf({ ...request, preamble }, deps)) ? preamble : null;
  } catch (error) {
    // A source that does not compile has none.
    if (error instanceof KernloopError && error.code === 'COMPILE_FAILED') return null;
    throw error;
  }
}

/** Number of parts before the first line of the variant that is behind the prefix. */
function endOfPrefix(parts: readonly Part[], { reproducer, recipe }: CompileRequest, last: number): number {
  const own = [join(reproducer, recipe.variant.file), join(reproducer, 'deps', recipe.main)];
  const end = parts.findIndex(
    ({ file, line, text }) =>
      own.includes(file) && (line > last || line + text.trimEnd().split('\n').length - 1 > last),
  );
  return end < 0 ? parts.length : end;
}

async function preprocessed(request: CompileRequest, header: string | null, deps: CompileDeps): Promise<Part[]> {
  const output = `${request.output}.i`;
  try {
    await preprocessWithClang(request, output, header === null ? [] : ['-include', header], deps);
    return partsOf(readFileSync(output, 'utf8'));
  } finally {
    rmSync(output, { force: true });
  }
}

/** False if the driver does not work in the steps that are known. */
function precompile(request: CompileRequest, header: string, output: string, deps: CompileDeps): Promise<boolean> {
  let isMade = false;
  return throughOverlay(request, output, async (args) => {
    const [command = []] = (await askDriver(request, [...args.slice(0, -1), header], deps)) ?? [];
    const [program, ...words] = command;
    if (program === undefined || words[0] !== '-cc1' || !words.includes('-emit-obj')) return [];
    const given = words.map((word) => (word === '-emit-obj' ? '-emit-pch' : word));
    const named = given.map((word, index) => (given[index - 1] === '-o' ? output : word));
    await runClang(request, program, withoutDependencies(named), deps);
    isMade = existsSync(output);
    return [];
  }).then(() => isMade);
}

const withoutDependencies = (words: readonly string[]): string[] =>
  words.filter(
    (word, index) =>
      word !== '-sys-header-deps' &&
      ![word, words[index - 1] ?? ''].some((each) => each === '-dependency-file' || each === '-MT'),
  );

async function codeOf(request: CompileRequest, deps: CompileDeps): Promise<Buffer> {
  await compileReproducer(request, deps);
  try {
    return readFileSync(request.output);
  } finally {
    rmSync(request.output, { force: true });
  }
}
