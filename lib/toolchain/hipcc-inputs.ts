import { closeSync, existsSync, openSync, readdirSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { isSettled, stateOf } from '../support/file-state';
import { pathFolders } from '../support/programs';
import type { Environment } from '../support/environment';

/** Inputs that decide which clang hipcc starts, and with which options. */
export interface HipccInputs {
  /** Each file with its state, and each folder that hipcc looks for with its target. */
  readonly lines: readonly string[];
  /** Paths with links followed. */
  readonly clangs: ReadonlySet<string>;
  readonly isSettled: boolean;
}

const scriptNames = /^(hipcc|hipconfig|hipvars|\.hipVersion)/;
const clangName = /^clang(\+\+)?(-\d+)?$/;
const libraryName = /^(libclang-cpp|libLLVM).*\.so/;

/** Files that hipcc.pl and hipvars.pm (ROCm 4 to 6, Debian) read or test for, relative to an installation. */
const readFiles = ['lib/.hipInfo', 'bin/.hipVersion', 'share/hip/version', 'bin/rocm_agent_enumerator'];
const clangFolders = ['bin', 'llvm/bin', 'lib/llvm/bin'];
const bitcodeFolders = ['lib/bitcode', 'amdgcn/bitcode'];
/** Library folders of a clang outside its own folder. */
const systemLibraries = ['/usr/lib', '/usr/lib64', '/usr/lib/x86_64-linux-gnu', '/usr/local/lib'];
const loaderFiles = ['/etc/ld.so.cache', '/etc/ld.so.preload'];
const namedFolders = ['HIP_PATH', 'ROCM_PATH', 'HIP_ROCCLR_HOME', 'HIP_CLANG_PATH'];

/** Returns null unless hipcc is AMD's Perl script: a wrapper of that name may read and start anything. */
export function hipccInputs(hipcc: string, env: Environment): HipccInputs | null {
  const named = namedFolders.flatMap((name) => env[name] ?? []);
  const libraries = env['LD_LIBRARY_PATH'] ? pathFolders(env['LD_LIBRARY_PATH']) : [];
  const programs = pathFolders(env['PATH']);
  // Refuses preloaded libraries, and relative folders, whose meaning depends on the working directory.
  if (env['LD_PRELOAD'] || env['LD_AUDIT'] || ![...named, ...libraries, ...programs].every(isAbsolute)) return null;
  if (!isInPerl(hipcc)) return null;
  const folders = foldersOf(hipcc);
  const roots = [...folders, ...named].flatMap((each) => [each, dirname(each), dirname(dirname(each))]);
  const installations = [...new Set([...roots, '/opt/rocm'])];
  const inEach = (names: readonly string[]): string[] =>
    installations.flatMap((root) => names.map((name) => join(root, name)));
  const ofClang = [...inEach(clangFolders), ...named];
  const clangFiles = ofClang.flatMap((folder) => filesIn(folder, clangName));
  const clangs = new Set(clangFiles.map((path) => realpathSync(path)));
  if (![...clangs].every(isClang)) return null;
  const files = [
    ...folders.flatMap((folder) => filesIn(folder, scriptNames)),
    ...[...inEach(readFiles), ...loaderFiles].filter(isFile),
    ...clangFiles,
    ...[...[...clangs].flatMap(librariesOf), ...systemLibraries, ...libraries].flatMap((folder) =>
      filesIn(folder, libraryName),
    ),
  ];
  const looked = [
    ...inEach(['.', ...clangFolders, ...bitcodeFolders]),
    // Debian's script uses the first of these in ROCM_PATH.
    ...inEach(['lib']).flatMap((folder) => inEachOf(folder, 'amdgcn/bitcode')),
    // Folder that options name, with links followed.
    ...ofClang.flatMap((folder) => inEachOf(join(folder, '../lib/clang'), 'include')),
  ];
  const paths = [...new Set(files)].map((path) => [path, realpathSync(path)] as const);
  return {
    lines: [
      ...paths.map(([path, real]) => `${path} ${real} ${stateOf(real)}`),
      ...[...new Set(looked)].filter((path) => existsSync(path)).map((path) => `${path} ${realpathSync(path)}`),
    ],
    clangs,
    isSettled: paths.every(([, real]) => isSettled(real)),
  };
}

/** Accepts neither scripts nor ccache. */
const isClang = (real: string): boolean => basename(real).startsWith('clang') && startOf(real).startsWith('\x7fELF');

const librariesOf = (clang: string): string[] => ['lib', 'lib64'].map((name) => join(dirname(clang), '..', name));

/** Folders that may contain its scripts: AMD's packages put links on the PATH. */
function foldersOf(hipcc: string): string[] {
  const scripts = [hipcc, join(dirname(hipcc), 'hipcc.pl'), join(dirname(realpathSync(hipcc)), 'hipcc.pl')];
  return [...new Set(scripts.filter(isFile).flatMap((path) => [dirname(path), dirname(realpathSync(path))]))];
}

function isInPerl(hipcc: string): boolean {
  if (!isAbsolute(hipcc) || !isFile(hipcc) || !basename(realpathSync(hipcc)).startsWith('hipcc')) return false;
  const beside = foldersOf(hipcc)
    .flatMap((folder) => filesIn(folder, scriptNames))
    .map((path) => basename(path));
  // ROCm 6 prefers hipcc.bin, which also searches the working directory, and starts faster.
  return beside.includes('hipvars.pm') && !beside.includes('hipcc.bin') && /^#!.*\bperl\b/.test(startOf(hipcc));
}

function startOf(path: string): string {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(64);
    return buffer.toString('latin1', 0, readSync(file, buffer)).split('\n')[0] ?? '';
  } finally {
    closeSync(file);
  }
}

/** `<folder>/<any>/<name>`. */
const inEachOf = (folder: string, name: string): string[] => namesIn(folder).map((each) => join(folder, each, name));

function filesIn(folder: string, wanted: RegExp): string[] {
  return namesIn(folder)
    .filter((name) => wanted.test(name))
    .map((name) => join(folder, name))
    .filter(isFile);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
