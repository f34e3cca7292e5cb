import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { sitePackages } from '../device/cupti';
import type { Deps } from '../deps/deps';
import type { Environment } from '../support/environment';
import { KernloopError } from '../support/error';
import { isExecutable, pathFolders, programsIn } from '../support/programs';
import type { Compiler, WantedCompiler } from './find-compiler';

export const tritonCompiler = 'triton';

const describeLimitMs = 60_000;
const describe = 'import json, triton; print(json.dumps({"triton": triton.__version__}))';
const describedSchema = z.object({ triton: z.string() });

/**
 * Finds a Python with Triton, preferring the wanted version: only the one that KERNLOOP_PYTHON names, if set; otherwise
 * the app's (`app`, null if unknown), then those on the PATH. A virtual environment is never assumed.
 */
export async function findTriton(
  wanted: WantedCompiler,
  app: string | null,
  deps: Pick<Deps, 'run' | 'env' | 'report'>,
): Promise<Compiler> {
  const found: Compiler[] = [];
  const candidates = pythonCandidates(deps.env, app);
  for (const path of candidates) {
    const version = await tritonVersion(path, deps);
    if (version === null) continue;
    if (version === wanted.version) return { path, version };
    found.push({ path, version });
  }
  const [first] = found;
  if (!first) {
    throw new KernloopError(
      'ENVIRONMENT_TRITON_MISSING',
      `no Python with Triton: ${candidates.length > 0 ? `${candidates.join(', ')} cannot import it` : 'there is no python3 on the PATH'}`,
      `install Triton ${wanted.version ?? ''} (pip install triton${wanted.version ? `==${wanted.version}` : ''}), or name a Python that has it with KERNLOOP_PYTHON`,
    );
  }
  if (wanted.version !== null) {
    deps.report.warn(
      `the app used Triton ${wanted.version}; compiling with ${first.version} of ${first.path}: the code may differ`,
    );
  }
  return first;
}

export function pythonCandidates(env: Environment, app: string | null): string[] {
  const named = env['KERNLOOP_PYTHON'];
  if (named) return [named];
  const ofApp = app !== null && isExecutable(app) ? [app] : [];
  return [...new Set([...ofApp, ...programsIn(pathFolders(env['PATH'] ?? ''), 'python3')])];
}

/** Files that identify the Triton of the default Python: small, and the same for equal installations. */
export function tritonRecords(env: Environment): string[] {
  return pythonCandidates(env, null)
    .slice(0, 1)
    .flatMap((python) => sitePackages(python, env))
    .flatMap((folder) =>
      entries(folder)
        .filter((name) => /^triton-[\d.]+.*\.dist-info$/.test(name))
        .map((name) => join(folder, name, 'RECORD')),
    );
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Null if it has no Triton. */
async function tritonVersion(python: string, deps: Pick<Deps, 'run'>): Promise<string | null> {
  const ended = await deps.run(python, ['-c', describe], { timeoutMs: describeLimitMs }).result;
  if (ended.exitCode !== 0) return null;
  try {
    const last = ended.stdoutTail.trim().split('\n').at(-1) ?? '';
    return describedSchema.parse(JSON.parse(last)).triton;
  } catch {
    return null;
  }
}
