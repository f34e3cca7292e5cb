import { readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { sha256 } from '../support/files';
import { KnownDigests } from '../support/known-digests';
import { pathFolders } from '../support/programs';
import { installationVariables } from './compiler-environment';
import { debianBitcode } from './device-libraries';
import { compilerCandidates, extractor } from './find-compiler';
import { nvrtcCandidates } from './find-nvrtc';
import { tritonRecords } from './find-triton';
import { neededLibraries } from './needed-libraries';
import type { Environment } from '../support/environment';

/** Drivers whose compilers and device libraries decide the code of a recompile. */
const drivers = ['hipcc', 'clang++', 'nvcc'];
/** Debian's hipcc starts the clang of its release: 15 on Debian 12, 21 with HIP 6.4. */
const versionedClang = /^clang\+\+-\d+$/;
const libraryFolders = ['/usr/lib/x86_64-linux-gnu/amdgcn/bitcode', '/opt/rocm/amdgcn/bitcode'];
/** Files beside hipcc: programs that it wraps, and what those read. */
const supportFiles = ['hipcc.pl', 'hipcc.bin', 'hipconfig', 'hipconfig.pl', 'hipvars.pm', '.hipVersion'];
/** Files of an installation in ROCm up to 6. */
const installedFiles = ['bin/.hipVersion', 'lib/.hipInfo', 'share/hip/version'];
/** Programs beside a clang that it, or a recompile, starts. */
const clangParts = [extractor, 'ld.lld', 'clang-offload-bundler'];
const clangName = /^clang(\+\+)?(-\d+)?$/;
/** Libraries that contain the compiler if its program is small; its other libraries do not affect the code. */
const compilerLibrary = /^lib(LLVM|clang|lld)/;
/** Programs that nvcc starts, its options, and its device library, relative to nvcc's folder. */
const nvccParts = ['ptxas', 'nvlink', 'nvcc.profile', '../nvvm/bin/cicc', '../nvvm/libdevice/libdevice.10.bc'];
/** Default preprocessor of nvcc. */
const hostCompiler = 'g++';
/** Default folder of toolkits, in addition to those that variables name. */
const installed = '/usr/local';

/**
 * Digest of the toolchain in use, computed without starting a process, because the plugin needs it in every command. It
 * covers only contents and names, so equal installations are one toolchain, wherever and whenever they were installed.
 */
export function toolchainIdentity(env: Environment, digests: KnownDigests = KnownDigests.of(env)): string {
  const rocm = installationsOf(compilerCandidates('hipcc', env).slice(0, 1));
  const programs = [
    ...drivers.flatMap((name) => compilerCandidates(name, env).slice(0, 1)),
    ...pathFolders(env['PATH']).flatMap((folder) => filesIn(folder, (name) => versionedClang.test(name))),
    ...[...clangFolders(env), ...rocm.flatMap(llvmFolders)].flatMap((folder) =>
      filesIn(folder, (name) => clangName.test(name)),
    ),
  ];
  const parts = programs.flatMap(resolved).flatMap((program) => clangParts.map((name) => join(dirname(program), name)));
  // Takes all candidates, because the first nvcc may be a script that leads to a toolkit elsewhere.
  const toolkits = compilerCandidates('nvcc', { ...env, KERNLOOP_COMPILER: undefined });
  const files = [
    ...toolkits.flatMap((nvcc) => [nvcc, ...nvccParts.map((part) => join(dirname(realpathSync(nvcc)), part))]),
    ...(toolkits.length > 0 ? compilerCandidates(hostCompiler, { PATH: env['PATH'] }).slice(0, 1) : []),
    ...programs,
    ...programs.flatMap((program) => supportFiles.map((name) => join(dirname(program), name))),
    ...parts,
    ...[...programs, ...parts].flatMap(resolved).flatMap((program) => compilerLibraries(program, env)),
    ...[...libraryFolders, ...debianBitcode(), ...deviceLibraryFolders(env), ...rocm.map(bitcodeFolder)].flatMap(
      (folder) => filesIn(folder),
    ),
    ...[...rocm, ...foldersOf(env, installationFolders)].flatMap((root) =>
      installedFiles.map((name) => join(root, name)),
    ),
    ...tritonRecords(env),
    ...nvrtcCandidates(env, installed).flatMap((library) => [library, ...nvrtcParts(library)]),
  ];
  const named = installationVariables.map((name) => `${name}=${env[name] ?? ''}`);
  const described = [...new Set(files.flatMap(resolved))].map((path) => `${basename(path)} ${digests.of(path)}`);
  digests.save();
  return sha256([...named, ...described].join('\n'));
}

/** Absolute folders that variables name; relative ones differ between processes. */
function foldersOf(env: Environment, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const folder = env[name];
    return folder && isAbsolute(folder) ? [folder] : [];
  });
}

/** Installations around `bin/hipcc`, its default places for parts. AMD's packages put a link on the PATH. */
function installationsOf(hipcc: readonly string[]): string[] {
  return [...new Set(hipcc.flatMap((path) => [path, ...resolved(path)]))].map((path) => dirname(dirname(path)));
}

/** Folders in ROCm up to 5, and since. */
const llvmFolders = (root: string): string[] => [join(root, 'llvm', 'bin'), join(root, 'lib', 'llvm', 'bin')];
const bitcodeFolder = (root: string): string => join(root, 'amdgcn', 'bitcode');

const installationFolders = ['ROCM_PATH', 'HIP_PATH', 'HIP_ROCCLR_HOME'];

function clangFolders(env: Environment): string[] {
  return [...foldersOf(env, ['HIP_CLANG_PATH']), ...foldersOf(env, ['ROCM_PATH', 'HIP_PATH']).flatMap(llvmFolders)];
}

function deviceLibraryFolders(env: Environment): string[] {
  return [
    ...foldersOf(env, ['DEVICE_LIB_PATH', 'HIP_DEVICE_LIB_PATH']),
    ...foldersOf(env, ['ROCM_PATH', 'HIP_PATH']).map(bitcodeFolder),
  ];
}

/** Libraries that libnvrtc loads itself. */
function nvrtcParts(library: string): string[] {
  return filesIn(dirname(library), (name) => name.startsWith('libnvrtc-builtins.so'));
}

/**
 * Libraries of a packaged clang, which is a small program over libclang-cpp and libLLVM: those that its file names, and
 * those beside it, which a wrapper may name.
 */
function compilerLibraries(program: string, env: Environment): string[] {
  const beside = filesIn(
    join(dirname(program), '..', 'lib'),
    (name) => name.includes('.so') && compilerLibrary.test(name),
  );
  return [...neededLibraries(program, compilerLibrary, env), ...beside];
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

/** Follows links, so that an update of the compiler behind `/usr/bin/clang++` is noticed. */
function resolved(path: string): string[] {
  try {
    return [realpathSync(path)].filter((file) => statSync(file).isFile());
  } catch {
    return [];
  }
}
