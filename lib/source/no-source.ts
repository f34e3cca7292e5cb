import { existsSync } from 'node:fs';
import { extname, isAbsolute, resolve } from 'node:path';
import type { NoSource } from './no-source-json';
import { knownLibrary } from './known-libraries';
import { databaseHint, type SearchTrail } from './search-trail';
import { tritonEvidence, type TritonQuery } from './triton-kernel';
import { isInside } from '../support/files';

export interface NoSourceQuery extends TritonQuery {
  demangled: string;
  /** Reason why the captured code object could not be read; null if it could. */
  unreadable: string | null;
  /** Folders of the app: its source, its root, the workspace. */
  own: readonly string[];
  isSystem: (path: string) => boolean;
  trail: SearchTrail;
}

const maxFiles = 64;
const shownFiles = 4;

/** Returns the first class with evidence; a line table is better evidence than a name. */
export function explainNoSource(query: NoSourceQuery): NoSource {
  return triton(query) ?? elsewhere(query) ?? library(query) ?? inToolchain(query) ?? notBuilt(query) ?? noTrail(query);
}

/** Possible reason for the missing record, and the next step. */
export const unrecordedHint =
  'capture it again with this version of Kernloop, which watches Triton in every Python of the app that reads its environment (not with -I, -E or -S, nor with KERNLOOP_TRITON_RECORD=off; a library that launches compiled code by itself, as TorchInductor does, with TORCHINDUCTOR_USE_STATIC_CUDA_LAUNCHER=0); --language hip or --language cuda searches the C++ sources all the same';

export function triton(query: TritonQuery): NoSource | null {
  const evidence = tritonEvidence(query);
  if (evidence === null) return null;
  return {
    code: 'SOURCE_TRITON',
    reason: `${query.symbol} is a Triton kernel, not one of HIP or CUDA: ${evidence.because}${listed(evidence.files)}; how it was compiled was not recorded`,
    hint: unrecordedHint,
    files: evidence.files.slice(0, maxFiles),
  };
}

function elsewhere(query: NoSourceQuery): NoSource | null {
  const outside = query.debugFiles.filter((file) => !isFileOfApp(file, query));
  // Every line table names the toolchain's own headers.
  const theirs = outside.filter((file) => !query.isSystem(file));
  const hasOwn = outside.length < query.debugFiles.length;
  const files = sourcesFirst(theirs.length > 0 || hasOwn ? theirs : outside);
  // Foreign headers next to sources of the app are merely included by them.
  if (files.length === 0 || (hasOwn && !files.some(isUnit))) return null;
  return {
    code: 'SOURCE_ELSEWHERE',
    reason: `${query.trail.summary()}; the line table of the captured code names files outside the app${listed(files)}`,
    hint: 'set "source" and "compileCommands" of kernloop.json to the project that these belong to, and generate again',
    files: files.slice(0, maxFiles),
  };
}

function library(query: NoSourceQuery): NoSource | null {
  const known = knownLibrary(query.symbol, query.demangled);
  if (known === null) return null;
  return {
    code: 'SOURCE_NO_TRAIL',
    reason: `${query.trail.summary()}; by its name it is ${known.what}`,
    hint: known.next,
    files: [],
  };
}

function inToolchain({ demangled, trail }: NoSourceQuery): NoSource | null {
  const found = trail.systemDefinition();
  if (found === null) return null;
  return {
    code: 'SOURCE_ELSEWHERE',
    reason: `${demangled} is defined by a header of the toolchain or of a package, ${found.file}:${found.line}, which is not copied`,
    hint: `copy the header into the app, put its folder first with -I in the build of ${found.unit}, build and capture again`,
    files: [found.file],
  };
}

function notBuilt(query: NoSourceQuery): NoSource | null {
  const files = sourcesFirst(query.debugFiles.filter((file) => isFileOfApp(file, query)));
  if (files.length === 0) return null;
  const { trail } = query;
  const how = trail.hasDatabase ? 'as the compile database says' : 'without a compile database';
  return {
    code: 'SOURCE_NOT_BUILT',
    reason: `${trail.summary()}; the line table of the captured code names files of the app${listed(files)}, but compiling them ${how} does not give the kernel`,
    hint: trail.hasDatabase
      ? 'check that the compile database is that of the captured build, and has these files; --define adds a macro that the captured build had'
      : databaseHint,
    files: files.slice(0, maxFiles),
  };
}

function noTrail({ symbol, trail, unreadable }: NoSourceQuery): NoSource {
  const looked =
    unreadable === null
      ? 'the captured code has no line table'
      : `the captured code could not be looked into (${unreadable})`;
  const unmangled = symbol.startsWith('_Z')
    ? ''
    : '; its name is not mangled: extern "C", assembly, or a compiler of another language';
  return {
    code: 'SOURCE_NO_TRAIL',
    reason: `${trail.summary()}; ${looked}${unmangled}`,
    hint: `${trail.hasDatabase ? '' : `${databaseHint}; `}build with line information (hipcc: -gline-tables-only, nvcc: -lineinfo) and capture again to learn the file; a kernel of a library has none in the app; for one that the app compiles with NVRTC, capture with KERNLOOP_NVRTC_RECORD=on`,
    files: [],
  };
}

/** The base of relative paths is unknown: they count as the app's if they exist in it. */
function isFileOfApp(file: string, { own }: NoSourceQuery): boolean {
  if (isAbsolute(file)) return own.some((folder) => isInside(folder, file));
  return own.some((folder) => existsSync(resolve(folder, file)));
}

function isUnit(file: string): boolean {
  return ['.hip', '.cu', '.cpp', '.cc', '.cxx', '.c', '.C', '.s', '.py'].includes(extname(file));
}

/** Lists translation units before headers; names the compiler makes up (`<stdin>`) are no files. */
function sourcesFirst(files: readonly string[]): string[] {
  const real = files.filter((file) => !file.includes('<') && extname(file) !== '');
  return [...real.filter(isUnit), ...real.filter((file) => !isUnit(file))];
}

function listed(files: readonly string[]): string {
  if (files.length === 0) return '';
  const more = files.length > shownFiles ? ` and ${files.length - shownFiles} more` : '';
  return ` (${files.slice(0, shownFiles).join(', ')}${more})`;
}
