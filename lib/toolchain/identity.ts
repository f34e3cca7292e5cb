import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Environment } from '../support/deps';
import { sha256, sha256OfFile } from '../support/files';
import { compilerCandidates } from './find-compiler';

/** Files up to this size go into the identity by content; larger ones by name, size and time of their package's build. */
const contentLimit = 1024 * 1024;

/** What decides the code that a recompile produces: the drivers, the compiler behind them, and the device libraries they link. */
const drivers = ['hipcc', 'clang++-15', 'clang++'];
const libraryFolders = ['/usr/lib/x86_64-linux-gnu/amdgcn/bitcode', '/opt/rocm/amdgcn/bitcode'];
const supportFiles = ['hipconfig', 'hipvars.pm', '.hipVersion'];

/** A digest of the toolchain in use, without starting a process: the plugin asks for it on every command. */
export function toolchainIdentity(env: Environment): string {
  const programs = drivers.flatMap((name) => compilerCandidates(name, env).slice(0, 1));
  const files = [
    ...programs,
    ...programs.flatMap((program) => supportFiles.map((name) => join(dirname(program), name))),
    ...programs.flatMap(compilerLibraries),
    ...libraryFolders.flatMap((folder) => filesIn(folder)),
  ];
  return sha256([...new Set(files.flatMap(resolved))].map(describe).join('\n'));
}

/** A packaged clang is a small program over these two. */
function compilerLibraries(program: string): string[] {
  const folder = join(dirname(realpathSync(program)), '..', 'lib');
  return filesIn(
    folder,
    (name) => name.includes('.so') && (name.startsWith('libclang-cpp') || name.startsWith('libLLVM')),
  );
}

function filesIn(folder: string, wanted: (name: string) => boolean = () => true): string[] {
  try {
    return readdirSync(folder)
      .filter(wanted)
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Follows links, so that an update of the compiler behind `/usr/bin/clang++` shows. */
function resolved(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

function describe(path: string): string {
  const { size, mtimeMs } = statSync(path);
  const content = size <= contentLimit ? sha256OfFile(path) : `${size} ${Math.floor(mtimeMs / 1000)}`;
  return `${basename(path)} ${content}`;
}
