import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import type { Environment } from '../support/environment';
import { installations } from '../toolchain/system-folders';

/** Programs, libraries and headers of the system; what the loader of programs reads; names of the system, for clang. */
const system = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/nix/store', '/gnu/store'],
  ...['/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d', '/etc/ld.so.preload'],
  ...['/etc/os-release', '/etc/lsb-release', '/etc/debian_version', '/etc/redhat-release', '/etc/SuSE-release'],
];

/**
 * Existing files and folders that a compilation reads besides its own: the system's, and those of the compilers, which
 * are absolute paths of programs (also Python with Triton) or libraries (NVRTC).
 */
export function toolchainFolders(compilers: readonly string[], env: Environment): string[] {
  // The loader passes over a folder that it may not read, and takes a library from another.
  const libraries = (env['LD_LIBRARY_PATH'] ?? '').split(delimiter).filter(isAbsolute);
  const found = [...system, ...libraries, ...compilers.flatMap(filesOf), ...installations(compilers, env)];
  return [...new Set(found.filter(existsSync).map((path) => realpathSync(path)))].sort();
}

function filesOf(compiler: string): string[] {
  // Libraries need those beside them: NVRTC loads its built-in functions.
  if (/\.so[.\d]*$/.test(compiler)) return [dirname(compiler), dirname(realpathOrSame(compiler))];
  return [compiler, ...pythonFolders(dirname(dirname(compiler)))];
}

/** Folders of a virtual environment with those of its Python, or of Conda; none for other prefixes. */
function pythonFolders(prefix: string): string[] {
  const configuration = join(prefix, 'pyvenv.cfg');
  if (!existsSync(configuration)) return existsSync(join(prefix, 'conda-meta')) ? [prefix] : [];
  const home = /^home\s*=\s*(.+)$/m.exec(readFileSync(configuration, 'utf8'))?.[1]?.trim() ?? '';
  return [prefix, ...(isAbsolute(home) ? [home, join(dirname(home), 'lib')] : [])];
}

function realpathOrSame(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}
