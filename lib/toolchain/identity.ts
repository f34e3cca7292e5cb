import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Environment } from '../support/deps';
import { sha256, sha256OfFile } from '../support/files';
import { compilerCandidates } from './find-compiler';

/** Files up to this size go into the identity by content; larger ones by name, size and time of their package's build. */
const contentLimit = 1024 * 1024;

/** What decides the code that a recompile produces: the drivers, the compiler behind them, and the device libraries they link. */
const drivers = ['hipcc', 'clang++-15', 'clang++', 'nvcc'];
const libraryFolders = ['/usr/lib/x86_64-linux-gnu/amdgcn/bitcode', '/opt/rocm/amdgcn/bitcode'];
const supportFiles = ['hipconfig', 'hipvars.pm', '.hipVersion'];
/** Programs that nvcc starts, its options, and its device library, relative to the folder of nvcc. */
const nvccParts = ['ptxas', 'nvlink', 'nvcc.profile', '../nvvm/bin/cicc', '../nvvm/libdevice/libdevice.10.bc'];
/** What preprocesses for nvcc, where nothing else is named. */
const hostCompiler = 'g++';

/** A digest of the toolchain in use, without starting a process: the plugin asks for it on every command. */
export function toolchainIdentity(env: Environment): string {
  const programs = drivers.flatMap((name) => compilerCandidates(name, env).slice(0, 1));
  // The first nvcc may be a script that leads to a toolkit elsewhere.
  const toolkits = compilerCandidates('nvcc', { ...env, KERNLOOP_COMPILER: undefined });
  const files = [
    ...toolkits.flatMap((nvcc) => [nvcc, ...nvccParts.map((part) => join(dirname(realpathSync(nvcc)), part))]),
    ...(toolkits.length > 0 ? compilerCandidates(hostCompiler, { PATH: env['PATH'] }).slice(0, 1) : []),
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
