import { existsSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Deps } from '../deps/deps';
import { softgpuTargets } from '../device/softgpu';
import type { Check } from './check';

const name = 'HIP runtime';

/** Targets that each release of HIP was run with on the software GPU (docs/install.md). */
const ran: Readonly<Record<string, readonly string[]>> = {
  '5.2': ['gfx90a', 'gfx1030'],
  '5.7': Object.keys(softgpuTargets),
  '6.4': Object.keys(softgpuTargets),
};

/**
 * Checks every HIP runtime that programs find here. The state of one that the software GPU cannot serve is "missing".
 */
export async function hipChecks(deps: Deps): Promise<Check[]> {
  const libraries = await findLibraries(deps);
  if (libraries.length > 0) return Promise.all(libraries.map((library) => checkLibrary(library, deps)));
  const detail = 'not in the linker cache; HIP programs need it: apt-get install libamdhip64-dev';
  return [{ name, state: 'optional', detail, hint: '' }];
}

/** Files of the libraries, each once: libamdhip64.so is a link to a versioned file. */
async function findLibraries(deps: Deps): Promise<string[]> {
  const lines: string[] = [];
  await deps.run('ldconfig', ['-p'], {
    env: { PATH: `${deps.env['PATH'] ?? ''}:/sbin:/usr/sbin` },
    onStdoutLine: (line) => lines.push(line),
    timeoutMs: 30_000,
  }).result;
  const cached = lines
    .filter((line) => line.trim().startsWith('libamdhip64.so'))
    .map((line) => line.split('=>').at(-1)?.trim() ?? '');
  const rocm = join(deps.env['ROCM_PATH'] ?? '/opt/rocm', 'lib', 'libamdhip64.so');
  return [...new Set([...cached, rocm].filter((file) => existsSync(file)).map((file) => realpathSync(file)))];
}

async function checkLibrary(library: string, deps: Deps): Promise<Check> {
  const version = /\.so\.(\d+\.\d+)/.exec(basename(library))?.[1];
  const found = `${version ? `HIP ${version}` : 'of a version that its name does not tell'} (${library})`;
  const problems = await whatItLacks(library, deps);
  if (problems.length > 0) {
    return {
      name,
      state: 'missing',
      detail: `${found} does not load on the software GPU: ${problems.join(', ')}`,
      hint: `use a release that docs/install.md lists (HIP ${Object.keys(ran).join(', ')}), or install what is not found`,
    };
  }
  const targets = ran[version ?? ''];
  const tried = targets ? `run on ${targets.join(', ')}` : 'loads; no program of this release was run by us';
  return { name, state: 'ok', detail: `${found}: ${tried}`, hint: '' };
}

/** Undefined symbols and missing libraries, found by the loader with the software GPU preloaded. */
async function whatItLacks(library: string, deps: Deps): Promise<string[]> {
  const lines: string[] = [];
  const ended = await deps.run('ldd', ['-r', library], {
    env: { LD_LIBRARY_PATH: [deps.native.softgpuDir, deps.env['LD_LIBRARY_PATH']].filter(Boolean).join(':') },
    onStdoutLine: (line) => lines.push(line),
    timeoutMs: 30_000,
  }).result;
  const lacking = lines.flatMap((line) => {
    const symbol = /undefined symbol: ([^\s,]+)/.exec(line)?.[1];
    if (symbol) return [`${symbol} is not defined`];
    return line.includes('not found') ? [line.trim()] : [];
  });
  if (lacking.length > 0 || ended.exitCode === 0) return lacking;
  return [`ldd -r fails: ${ended.startError ?? ended.stderrTail.trim()}`];
}
