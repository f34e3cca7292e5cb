import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Environment } from '../support/deps';

/** Newest first: what the agent can drive. */
const majors = [13, 12] as const;

/**
 * A CUPTI library for the agent inside `program`, where the loader would find none by itself: the one that the app's own Python
 * brings (PyTorch loads the same file: two CUPTIs in one process exclude each other), else that of a CUDA toolkit. CUPTI works with
 * drivers of its own major version of CUDA or newer. `undefined`: nothing to say; the agent then asks the loader.
 */
export function findCupti(program: string, env: Environment, cudaMajor: number | null): string | undefined {
  // Said by the user: left as it is.
  if (env['KERNLOOP_CUPTI']) return undefined;
  const usable = majors.filter((major) => cudaMajor === null || major <= cudaMajor);
  const inPython = firstIn(pythonFolders(program, env), usable);
  if (inPython !== undefined) return inPython;
  if (firstIn(loaderFolders(env), usable) !== undefined) return undefined;
  return firstIn(toolkitFolders(env), usable);
}

/** Every CUPTI that this machine offers outside of Python, for `kernloop doctor`. */
export function installedCupti(env: Environment): string | undefined {
  return env['KERNLOOP_CUPTI'] || firstIn([...loaderFolders(env), ...toolkitFolders(env)], majors);
}

function firstIn(folders: readonly string[], usable: readonly number[]): string | undefined {
  const names = usable.map((major) => `libcupti.so.${major}`);
  // The newest that can be used, wherever it is.
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

const systemFolders = ['/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/usr/lib', '/lib/x86_64-linux-gnu'];

function loaderFolders(env: Environment): string[] {
  return [...(env['LD_LIBRARY_PATH'] ?? '').split(':').filter(Boolean), ...systemFolders];
}

function toolkitFolders(env: Environment): string[] {
  const roots = [env['CUDA_HOME'], env['CUDA_PATH'], '/usr/local/cuda', ...versionedToolkits()];
  return roots
    .filter((root): root is string => Boolean(root))
    .flatMap((root) => ['extras/CUPTI/lib64', 'targets/x86_64-linux/lib', 'lib64'].map((folder) => join(root, folder)));
}

/** `/usr/local/cuda-13.0` and the like, the newest first. */
function versionedToolkits(): string[] {
  const version = (name: string): number => Number.parseFloat(name.slice('cuda-'.length));
  return entries('/usr/local')
    .filter((name) => /^cuda-\d+(\.\d+)?$/.test(name))
    .sort((a, b) => version(b) - version(a))
    .map((name) => join('/usr/local', name));
}

/** Where the wheels nvidia-cuda-cupti-cu12 (nvidia/cuda_cupti/lib) and nvidia-cuda-cupti (nvidia/cu13/lib) put it. */
function pythonFolders(program: string, env: Environment): string[] {
  return sitePackages(program, env).flatMap((site) =>
    entries(join(site, 'nvidia')).map((name) => join(site, 'nvidia', name, 'lib')),
  );
}

function sitePackages(program: string, env: Environment): string[] {
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

/** The interpreter: the program itself, or what the first line of a script names. */
function pythonOf(program: string): string | undefined {
  const isPython = (path: string): boolean => /^python3?(\.\d+)?$/.test(basename(path));
  if (isPython(program)) return program;
  const interpreter = /^#!\s*(\S+)/.exec(firstBytes(program))?.[1];
  return interpreter !== undefined && isPython(interpreter) ? interpreter : undefined;
}

/** The prefix that a virtual environment was made from. */
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
