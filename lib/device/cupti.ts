import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Environment } from '../support/environment';

/** Major versions that the agent can use, newest first. */
const majors = [13, 12] as const;

/** Folder in which toolkits are installed. */
const toolkits = '/usr/local';

/**
 * CUPTI library that the agent inside `program` is to load (KERNLOOP_CUPTI): the one in the app's own Python, because
 * PyTorch loads the same file and two CUPTIs in one process exclude each other; else one of a toolkit, if the agent
 * would not find it by itself. CUPTI works with drivers of its own major version of CUDA or newer. `undefined`: the
 * agent uses the one that the process has loaded, or searches by itself.
 */
export function findCupti(
  program: string,
  env: Environment,
  cudaMajor: number | null,
  installed = toolkits,
): string | undefined {
  // The user's choice stays.
  if (env['KERNLOOP_CUPTI']) return undefined;
  const usable = majors.filter((major) => cudaMajor === null || major <= cudaMajor);
  const inPython = firstIn(pythonFolders(program, env), usable);
  if (inPython !== undefined || firstIn(knownFolders(env, installed), usable) !== undefined) return inPython;
  return firstIn(versionedToolkits(installed), usable);
}

/** CUPTI that this machine offers outside of Python, for `kernloop doctor`. */
export function installedCupti(env: Environment): string | undefined {
  return env['KERNLOOP_CUPTI'] || firstIn([...knownFolders(env, toolkits), ...versionedToolkits(toolkits)], majors);
}

function firstIn(folders: readonly string[], usable: readonly number[]): string | undefined {
  const names = usable.map((major) => `libcupti.so.${major}`);
  // The newest usable version, in any folder.
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

const systemFolders = ['/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/usr/lib', '/lib/x86_64-linux-gnu'];

/** Folders that the loader and the agent search (native/cuda/cupti.cpp). */
function knownFolders(env: Environment, installed: string): string[] {
  const roots = [env['CUDA_HOME'], env['CUDA_PATH'], join(installed, 'cuda')].filter((root) => root !== undefined);
  return [
    ...(env['LD_LIBRARY_PATH'] ?? '').split(':').filter(Boolean),
    ...systemFolders,
    ...roots.flatMap((root) => ['lib64', 'lib', 'extras/CUPTI/lib64'].map((folder) => join(root, folder))),
  ];
}

/** Folders like `cuda-13.0` that the link `cuda` does not reach, newest first. */
function versionedToolkits(installed: string): string[] {
  const version = (name: string): number => Number.parseFloat(name.slice('cuda-'.length));
  return entries(installed)
    .filter((name) => /^cuda-\d+(\.\d+)?$/.test(name))
    .sort((a, b) => version(b) - version(a))
    .flatMap((name) =>
      ['extras/CUPTI/lib64', 'targets/x86_64-linux/lib'].map((folder) => join(installed, name, folder)),
    );
}

/**
 * Library folders of NVIDIA's wheels, such as nvidia-cuda-cupti-cu12 (nvidia/cuda_cupti/lib) and nvidia-cuda-cupti
 * (nvidia/cu13/lib).
 */
export function pythonFolders(program: string, env: Environment): string[] {
  return sitePackages(program, env).flatMap((site) =>
    entries(join(site, 'nvidia')).map((name) => join(site, 'nvidia', name, 'lib')),
  );
}

/**
 * Package folders of the Python interpreter that the program is, or that its first line names; none for other programs.
 */
export function sitePackages(program: string, env: Environment): string[] {
  const python = pythonOf(program);
  if (python === undefined) return [];
  const prefixes = [dirname(dirname(python)), ...baseOf(dirname(dirname(python)))];
  const resolved = dirname(dirname(realOr(python)));
  const libraries = [...new Set([...prefixes, resolved, '/usr/local'])].flatMap((prefix) =>
    entries(join(prefix, 'lib'))
      .filter((name) => /^python3(\.\d+)?$/.test(name))
      .flatMap((name) => ['site-packages', 'dist-packages'].map((folder) => join(prefix, 'lib', name, folder))),
  );
  return [...(env['PYTHONPATH'] ?? '').split(':').filter(Boolean), ...libraries];
}

/** The interpreter: the program itself, or the one that the first line of a script names. */
function pythonOf(program: string): string | undefined {
  const isPython = (path: string): boolean => /^python3?(\.\d+)?$/.test(basename(path));
  if (isPython(program)) return program;
  const interpreter = /^#!\s*(\S+)/.exec(firstBytes(program))?.[1];
  return interpreter !== undefined && isPython(interpreter) ? interpreter : undefined;
}

/** Prefix of the installation that a virtual environment was made from. */
function baseOf(prefix: string): string[] {
  const home = /^home\s*=\s*(.+)$/m.exec(textOr(join(prefix, 'pyvenv.cfg')))?.[1]?.trim();
  return home === undefined ? [] : [dirname(home)];
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function realOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function textOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** A shebang is at most 256 bytes (binfmt_script). */
function firstBytes(path: string): string {
  try {
    return readFileSync(path).subarray(0, 256).toString('latin1');
  } catch {
    return '';
  }
}
