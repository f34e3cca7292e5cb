import { existsSync, readdirSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { pythonFolders } from '../device/cupti';
import type { Deps } from '../deps/deps';
import { builtNative } from '../deps/built-native';
import { KernloopError } from '../support/error';
import type { Compiler, WantedCompiler } from './find-compiler';
import type { Environment } from '../support/environment';

export const nvrtcCompiler = 'nvrtc';

const systemFolders = ['/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/usr/lib'];
export const describedSchema = z.looseObject({ event: z.literal('nvrtc'), version: z.string() });
const describeLimitMs = 60_000;

/** Finds a libnvrtc that kernloop-nvrtc can load, preferring the wanted version, and warns if it must use another. */
export async function findNvrtc(
  wanted: WantedCompiler,
  deps: Pick<Deps, 'run' | 'env' | 'report' | 'native' | 'clock' | 'signal'>,
  installed = '/usr/local',
): Promise<Compiler> {
  const found: Compiler[] = [];
  for (const path of nvrtcCandidates(deps.env, installed)) {
    const version = await nvrtcVersion(path, deps);
    if (version === null) continue;
    if (version === wanted.version) return { path, version };
    found.push({ path, version });
  }
  const [first] = found;
  if (!first) {
    throw new KernloopError(
      'ENVIRONMENT_NVRTC_MISSING',
      'the app compiled this kernel at run time, and libnvrtc of the CUDA toolkit is not installed here',
      'install the CUDA toolkit (Debian: libnvrtc12) or the wheel nvidia-cuda-nvrtc, set CUDA_HOME, or name the library with KERNLOOP_NVRTC',
    );
  }
  deps.report.warn(
    `the app used NVRTC ${wanted.version ?? ''}; compiling with ${first.path} (${first.version}): the code may differ`,
  );
  return first;
}

/** Existing files, best first; only KERNLOOP_NVRTC if that is set. */
export function nvrtcCandidates(env: Environment, installed: string): string[] {
  const named = env['KERNLOOP_NVRTC'];
  if (named) return [named].filter((path) => existsSync(path));
  const roots = [env['CUDA_HOME'], env['CUDA_PATH'], ...toolkits(installed)].filter((root) => root !== undefined);
  const pythons = (env['PATH'] ?? '')
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, 'python3'));
  const python = pythons.find((path) => existsSync(path));
  const folders = [
    ...(env['LD_LIBRARY_PATH'] ?? '').split(delimiter).filter(isAbsolute),
    ...roots.flatMap((root) => ['lib64', 'lib', 'targets/x86_64-linux/lib'].map((folder) => join(root, folder))),
    ...systemFolders,
    ...(python === undefined ? [] : pythonFolders(python, env)),
  ];
  return [...new Set(folders.flatMap(librariesIn))];
}

/** Libraries named as for the dynamic linker (`libnvrtc.so.13`), newest first. */
function librariesIn(folder: string): string[] {
  const version = (name: string): number => Number.parseFloat(name.slice('libnvrtc.so.'.length));
  return entries(folder)
    .filter((name) => /^libnvrtc\.so\.(1[1-9](\.\d)?)$/.test(name))
    .sort((a, b) => version(b) - version(a))
    .map((name) => join(folder, name));
}

function toolkits(installed: string): string[] {
  const version = (name: string): number =>
    name === 'cuda' ? Infinity : Number.parseFloat(name.slice('cuda-'.length));
  return entries(installed)
    .filter((name) => /^cuda(-\d+(\.\d+)?)?$/.test(name))
    .sort((a, b) => version(b) - version(a))
    .map((name) => join(installed, name));
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Returns null with a warning if the library cannot be used. */
async function nvrtcVersion(
  path: string,
  deps: Pick<Deps, 'run' | 'report' | 'native' | 'clock' | 'signal'>,
): Promise<string | null> {
  const args = ['--library', path, '--describe'];
  const program = await builtNative('nvrtcCompiler', deps);
  const ended = await deps.run(program, args, { timeoutMs: describeLimitMs }).result;
  if (ended.exitCode === null && ended.startError !== null) {
    throw new KernloopError(
      'ENVIRONMENT_NATIVE_MISSING',
      `${program}: ${ended.startError}`,
      'install this version of kernloop once more (in a checkout: `npm run build:native`)',
    );
  }
  const described = ended.exitCode === 0 ? describedSchema.safeParse(parsed(ended.stdoutTail)) : null;
  if (described?.success) return described.data.version;
  deps.report.warn(`${path} cannot be used: ${ended.stderrTail.trim()}`);
  return null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
