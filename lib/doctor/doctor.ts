import { statfsSync } from 'node:fs';
import { firstGpu, topologyFolder } from '../device/hsa';
import { nativeRemedy } from '../native/native-package';
import { missingProducts } from '../native/native-paths';
import { isLeftOut, restInWords } from '../native/rest';
import { softgpuIdentity, softgpuTargets } from '../device/softgpu';
import { grammarFile, openSourceParser } from '../source/source-parser';
import type { Deps } from '../deps/deps';
import { KernloopError, messageOf } from '../support/error';
import { exitCodes } from '../support/error-codes';
import { formatBytes, table } from '../support/report';
import { appChecks } from './app';
import type { Check, DoctorResult } from './check';
import { cudaChecks } from './cuda';
import { hipChecks } from './hip';
import { hipccCheck } from './hipcc';
import type { DoctorOptions } from './options';
import { pgoChecks } from './pgo';
import { slurmChecks } from './slurm';

/** Reports what this machine has and lacks. Exit code 5 if a stage cannot work without something missing. */
export async function runDoctor({ app }: DoctorOptions, deps: Deps): Promise<DoctorResult> {
  const checks = [
    checkNode(),
    checkNative(deps),
    await checkSoftgpu(deps),
    await checkParser(),
    await hipccCheck(deps),
    await checkProgram(
      'cmake',
      ['--version'],
      'builds the examples and the native programs',
      'apt-get install cmake',
      deps,
    ),
    ...(await checkHip(deps)),
    checkHsa(),
    ...(await checkCuda(deps)),
    ...(await checkPgo(deps)),
    checkDisk(),
    ...(app === undefined ? [] : [...(await appChecks(app, deps)), ...(await slurmChecks(app, deps))]),
  ];
  const exitCode = checks.some(({ state }) => state === 'missing') ? exitCodes.environment : exitCodes.pass;
  const marks = { ok: 'ok', missing: 'MISSING', optional: '-' } as const;
  for (const line of table([
    ['', 'what', 'found'],
    ...checks.map(({ name, state, detail }) => [marks[state], name, detail]),
  ]))
    deps.report.result(line);
  for (const { name, hint } of checks.filter(({ state }) => state === 'missing'))
    deps.report.result(`${name}: ${hint}`);
  return { checks, exit_code: exitCode };
}

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  return {
    name: 'Node',
    state: ok ? 'ok' : 'missing',
    detail: process.versions.node,
    hint: 'install Node 20.19 or newer',
  };
}

function checkNative(deps: Deps): Check {
  const name = 'native programs';
  try {
    const missing = missingProducts(deps.native);
    if (missing.length === 0) {
      const notYet = isLeftOut(deps.native) ? `; those for ${restInWords} are built when a stage first asks` : '';
      return { name, state: 'ok', detail: `${deps.native.root}${notYet}`, hint: '' };
    }
    return { name, state: 'missing', detail: `${missing.join(', ')} not found`, hint: nativeRemedy() };
  } catch (error) {
    return {
      name,
      state: 'missing',
      detail: messageOf(error),
      hint: error instanceof KernloopError ? error.hint : nativeRemedy(),
    };
  }
}

/** Checks that the loader can open the replay program with the software GPU preloaded. */
async function checkSoftgpu(deps: Deps): Promise<Check> {
  const name = 'software GPU';
  const hint = `${nativeRemedy()}; then install what ldd calls "not found"`;
  try {
    const { softgpu, softgpuDir, replay } = deps.native;
    const lines: string[] = [];
    await deps.run('ldd', [replay], {
      env: { LD_LIBRARY_PATH: softgpuDir },
      onStdoutLine: (line) => lines.push(line),
      timeoutMs: 30_000,
    }).result;
    const unresolved = lines.filter((line) => line.includes('not found')).map((line) => line.trim());
    if (unresolved.length > 0) return { name, state: 'missing', detail: unresolved.join('; '), hint };
    return {
      name,
      state: 'ok',
      detail: `${softgpuIdentity('gfx90a', softgpu)} (targets: ${Object.keys(softgpuTargets).join(', ')})`,
      hint: '',
    };
  } catch (error) {
    return { name, state: 'missing', detail: messageOf(error), hint };
  }
}

/** Only the search for kernels in source files needs the parser. */
async function checkParser(): Promise<Check> {
  const name = 'source parser';
  try {
    await openSourceParser();
    return { name, state: 'ok', detail: grammarFile() ?? '', hint: '' };
  } catch (error) {
    if (!(error instanceof KernloopError)) throw error;
    return { name, state: 'missing', detail: error.what, hint: error.hint };
  }
}

async function checkProgram(name: string, args: string[], purpose: string, hint: string, deps: Deps): Promise<Check> {
  const ended = await deps.run(name, args, { timeoutMs: 30_000 }).result;
  if (ended.exitCode !== 0) return { name, state: 'optional', detail: `not found; ${purpose}: ${hint}`, hint };
  return { name, state: 'ok', detail: ended.stdoutTail.split('\n')[0]?.trim() ?? '', hint: '' };
}

/** Without the native programs there is no software GPU to load HIP with; another check reports that. */
async function checkHip(deps: Deps): Promise<Check[]> {
  try {
    return await hipChecks(deps);
  } catch (error) {
    if (!(error instanceof KernloopError)) throw error;
    return [{ name: 'HIP runtime', state: 'optional', detail: `not known: ${error.what}`, hint: error.hint }];
  }
}

function checkHsa(): Check {
  const name = 'AMD GPU';
  try {
    return {
      name,
      state: 'ok',
      detail: `${firstGpu(topologyFolder).identity} (hsa is unverified on hardware)`,
      hint: '',
    };
  } catch {
    return { name, state: 'optional', detail: 'none here; the software GPU needs none', hint: '' };
  }
}

/** Without the native programs the driver cannot be queried; another check reports that. */
async function checkCuda(deps: Deps): Promise<Check[]> {
  try {
    return await cudaChecks(deps);
  } catch (error) {
    if (!(error instanceof KernloopError)) throw error;
    return [{ name: 'NVIDIA GPU', state: 'optional', detail: `not known: ${error.what}`, hint: error.hint }];
  }
}

async function checkPgo(deps: Deps): Promise<Check[]> {
  try {
    return await pgoChecks(deps);
  } catch (error) {
    if (!(error instanceof KernloopError)) throw error;
    return [{ name: 'PGO', state: 'optional', detail: `not known: ${error.what}`, hint: error.hint }];
  }
}

function checkDisk(): Check {
  const { bavail, bsize } = statfsSync('.');
  return { name: 'free disk', state: 'ok', detail: formatBytes(bavail * bsize), hint: '' };
}
