import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { isExecutable, pathFolders } from '../support/programs';
import type { Environment } from '../support/environment';
import { compilerVersion } from './find-compiler';

/** Only this major: the plugin depends on LLVM's ABI and the profile on its format, which change with each major. */
export const llvmMajor = 22;

/** Programs that PGO starts, and their Debian packages. The packages for building the plugin are not among them. */
const programs = {
  clang: { name: 'clang++', package: 'clang' },
  lld: { name: 'ld.lld', package: 'lld' },
  profdata: { name: 'llvm-profdata', package: 'llvm' },
} as const;

type LlvmProgram = keyof typeof programs;

/** LLVM of the only major that PGO supports. */
export interface Llvm {
  readonly major: number;
  readonly clang: string;
  readonly lld: string;
  readonly profdata: string;
  /** Version line of `clang++ --version`. */
  readonly version: string;
  /** Folder of LLVM's CMake configuration; null if its package is missing, without which no plugin can be built. */
  readonly cmake: string | null;
}

/** Parts of LLVM that are installed, found without starting a process. */
export interface LlvmParts {
  readonly found: Readonly<Record<LlvmProgram, string | null>>;
  readonly cmake: string | null;
  /** Other majors of clang on this machine. */
  readonly others: readonly number[];
}

const debianFolder = '/usr/lib';

export function llvmParts(env: Environment, installed = debianFolder): LlvmParts {
  const found = Object.fromEntries(
    Object.entries(programs).map(([key, { name }]) => [key, programPath(name, env, installed)]),
  ) as Record<LlvmProgram, string | null>;
  return {
    found,
    cmake: cmakeFolder(found.clang, env, installed),
    // Computed only for messages, because it reads every folder of the PATH.
    get others() {
      return otherMajors(env, installed);
    },
  };
}

/** `KERNLOOP_LLVM` names the folder of an LLVM (`/opt/llvm-22`); if set, only that folder is searched. */
function programPath(name: string, env: Environment, installed: string): string | null {
  const named = env['KERNLOOP_LLVM'];
  const candidates = named
    ? [join(named, 'bin', name)]
    : [
        ...pathFolders(env['PATH']).map((folder) => join(folder, `${name}-${llvmMajor}`)),
        join(installed, `llvm-${llvmMajor}`, 'bin', name),
      ];
  return candidates.filter(isAbsolute).find(isExecutable) ?? null;
}

function cmakeFolder(clang: string | null, env: Environment, installed: string): string | null {
  const beside = clang === null ? [] : [join(dirname(realpathSync(clang)), '..')];
  const named = env['KERNLOOP_LLVM'];
  const roots = named ? [named] : [...beside, join(installed, `llvm-${llvmMajor}`)];
  const folders = roots.flatMap((root) => [join(root, 'lib', 'cmake', 'llvm'), join(root, 'cmake')]);
  return folders.find((folder) => existsSync(join(folder, 'LLVMConfig.cmake'))) ?? null;
}

function otherMajors(env: Environment, installed: string): number[] {
  const names = [installed, ...pathFolders(env['PATH']).filter(isAbsolute)].flatMap((folder) => {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  });
  const majors = names.flatMap((name) => {
    const [, major] = /^(?:llvm|clang\+\+|clang)-(\d+)$/.exec(name) ?? [];
    return major === undefined ? [] : [Number(major)];
  });
  return [...new Set(majors)].filter((major) => major !== llvmMajor).sort((a, b) => a - b);
}

/** Packages to install, with Debian's exact names, because each major has its own. */
export function aptLine({ found, cmake }: LlvmParts, wantsPlugin: boolean): string | null {
  const missing = Object.entries(programs).filter(([key]) => found[key as LlvmProgram] === null);
  const names = missing.map(([, { package: name }]) => `${name}-${llvmMajor}`);
  if (wantsPlugin && cmake === null) names.push(`llvm-${llvmMajor}-dev`);
  return names.length === 0 ? null : `sudo apt-get install ${names.join(' ')}`;
}

/** Names of the missing parts, for the major that PGO needs. */
export function missingParts(parts: LlvmParts, wantsPlugin: boolean): string[] {
  const missing = Object.entries(programs)
    .filter(([key]) => parts.found[key as LlvmProgram] === null)
    .map(([, { name }]) => `${name}-${llvmMajor}`);
  return wantsPlugin && parts.cmake === null ? [...missing, `LLVMConfig.cmake of LLVM ${llvmMajor}`] : missing;
}

/** Finds LLVM for PGO. Building code that was profiled elsewhere needs no plugin. */
export async function findLlvm(
  deps: Pick<Deps, 'run' | 'env' | 'signal'>,
  { wantsPlugin = true }: { wantsPlugin?: boolean } = {},
): Promise<Llvm> {
  const parts = llvmParts(deps.env);
  const { clang, lld, profdata } = parts.found;
  if (clang === null || lld === null || profdata === null || (wantsPlugin && parts.cmake === null))
    throw llvmMissing(parts, wantsPlugin);
  const version = await compilerVersion(clang, deps);
  const [, major] = /\bversion (\d+)\./.exec(version) ?? [];
  if (Number(major) !== llvmMajor) {
    throw new KernloopError(
      'ENVIRONMENT_LLVM_MISSING',
      `${clang} is of LLVM ${major ?? '(unknown)'} (${version}), and PGO works with LLVM ${llvmMajor} alone`,
      `install that (sudo apt-get install clang-${llvmMajor} lld-${llvmMajor} llvm-${llvmMajor}-dev), or name its folder with KERNLOOP_LLVM`,
    );
  }
  return { major: llvmMajor, clang, lld, profdata, version, cmake: parts.cmake };
}

function llvmMissing(parts: LlvmParts, wantsPlugin: boolean): KernloopError {
  const others =
    parts.others.length === 0
      ? ''
      : `; this machine has LLVM ${parts.others.join(' and ')}, which the plugin of PGO cannot be built for`;
  return new KernloopError(
    'ENVIRONMENT_LLVM_MISSING',
    `PGO needs LLVM ${llvmMajor}: ${missingParts(parts, wantsPlugin).join(', ')} not found${others}`,
    `${aptLine(parts, wantsPlugin) ?? ''} (Debian; elsewhere name the folder that has bin/clang++ with KERNLOOP_LLVM)`,
  );
}
