import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, parse, relative, resolve } from 'node:path';
import type { App } from '../app/app';
import { compileDatabaseOf } from '../app/compile-database';
import type { CaptureJson } from '../archive/capture-files';
import type { Deps } from '../deps/deps';
import { candidateGroups, type KernelCandidate } from '../source/find-kernel';
import type { KernelQuery } from '../source/kernel-query';
import { databaseHint, type SearchTrail } from '../source/search-trail';
import { KernloopError } from '../support/error';
import { isInside, sha256OfFile } from '../support/files';
import { debugSourceFiles } from '../toolchain/debug-line';
import { dialectFor } from '../toolchain/dialects';
import { SystemFolders } from '../toolchain/system-folders';
import type { Captured } from './captured';
import { isIdentical, isSameCode } from './prove';
import type { PristineRequest } from './request';
import { tryCandidate, type FoundSource } from './try-candidate';

/** Maximum number of candidates to try before settling for the first that compiles to the kernel. */
const maxCompiles = 8;

/** Returns the candidate with the captured code object, otherwise the first with the kernel; null if none has it. */
export async function searchSource(
  request: PristineRequest,
  captured: Captured,
  trail: SearchTrail,
  deps: Deps,
): Promise<FoundSource | null> {
  const { app, capture, kernel } = request;
  const accepted: FoundSource[] = [];
  const failures: KernloopError[] = [];
  let last: KernelCandidate | undefined;
  const isSettled = (): boolean => accepted.some(isIdentical) || accepted.length + failures.length >= maxCompiles;
  for await (const { isBuilt, candidates } of candidateGroups(queryOf(request, captured, trail, deps), deps)) {
    for await (const candidate of candidates) {
      last = candidate;
      try {
        accepted.push(await tryCandidate(candidate, captured, request, deps));
      } catch (error) {
        if (!(error instanceof KernloopError)) throw error;
        if (error.code === 'COMPILE_FAILED' || error.code === 'RDC_UNSUPPORTED') failures.push(error);
        else if (error.code !== 'SYMBOL_MISSING') throw error;
        trail.tried.push(relative(app.root, candidate.unit.file));
      }
      if (isSettled()) break;
    }
    // No other unit of the app's build has the kernel.
    if (isSettled() || (isBuilt && accepted.length > 0)) break;
  }
  const identical = accepted.find(isIdentical);
  if (identical) return identical;
  const same = ofSameCode(accepted.filter(isSameCode), app, deps);
  const first = same ?? accepted[0];
  if (first) {
    if (!same) refuseAmbiguous(accepted, app, capture);
    if (!same) warnAboutDifference(accepted, app, capture, deps);
    // The folder contains the candidate tried last.
    return first.candidate === last ? first : tryCandidate(first.candidate, captured, request, deps);
  }
  const [failure] = failures;
  if (failure?.code === 'RDC_UNSUPPORTED') throw failure;
  if (failure) {
    throw new KernloopError(
      failure.code,
      `the source of ${kernel.name} was found, but does not compile outside the app: ${failure.what}`,
      'the output of the compiler is above; check that the compile database is there and that of the captured build; --define adds a macro that it lacks',
      { cause: failure },
    );
  }
  return null;
}

/** The first of the units that give the captured machine code, as copies of a file do: only one of them was built. */
function ofSameCode(same: readonly FoundSource[], app: App, deps: Deps): FoundSource | undefined {
  const [first, ...others] = same;
  const copies = others.filter(({ candidate }) => candidate.kernelFile !== first?.candidate.kernelFile);
  const [taken = '', ...rest] = [first, ...copies].map((one) => relative(app.root, one?.candidate.unit.file ?? ''));
  if (rest.length > 0)
    deps.report.warn(
      `${taken} is taken for the source, and ${rest.join(', ')} gives the same machine code: --translation-unit FILE takes another`,
    );
  return first;
}

function queryOf(
  { app, capture, translationUnit, define = [] }: PristineRequest,
  { isa, code }: Captured,
  trail: SearchTrail,
  deps: Deps,
): KernelQuery {
  const own = [app.root, app.workspaceRoot].map((folder) => realpathSync(folder));
  const { source, env } = app.config;
  const compileCommands = compileDatabaseOf(app);
  const named = new Set((code === null ? [] : debugSourceFiles(code)).map((file) => basename(file)));
  const program = parse(app.config.command[0] ?? '').name;
  trail.hasDatabase = compileCommands !== undefined && existsSync(compileCommands);
  return {
    name: capture.kernel.name,
    symbol: capture.kernel.symbol,
    dialect: dialectFor(capture.device.kind),
    isa,
    source: resolve(app.root, source),
    compileCommands,
    translationUnit: translationUnit === undefined ? undefined : resolve(app.root, translationUnit),
    environment: env,
    define,
    trail,
    isNamed: (file) => (named.size > 0 ? named.has(basename(file)) : parse(file).name === program),
    isProjectFile: (real, compiler) =>
      own.some((folder) => isInside(folder, real)) || !new SystemFolders([compiler], deps.env).contain(real),
  };
}

/** Accepts a header used by several units as one source; if several files give the kernel, the user must choose. */
function refuseAmbiguous(accepted: readonly FoundSource[], app: App, capture: CaptureJson): void {
  const files = new Set(accepted.map(({ candidate }) => candidate.kernelFile));
  if (files.size < 2) return;
  const choices = accepted.map(({ candidate: { unit, kernelFile, definition } }) => {
    const place = `${relative(app.root, kernelFile)}${definition ? `:${definition.line}` : ''}`;
    const main = relative(app.root, unit.file);
    return unit.file === kernelFile ? place : `${place} in ${main}`;
  });
  const [first] = accepted;
  throw new KernloopError(
    'SOURCE_AMBIGUOUS',
    `${capture.kernel.name} is defined by ${choices.join(', ')}, and none compiles to the captured code object`,
    `choose the unit that the app is built of with --translation-unit FILE${first?.candidate.unit.fromDatabase === true ? '; with the sources and the compiler of the capture the code itself would tell' : `; with the options of the app the code itself would tell: ${databaseHint}`}`,
  );
}

/** The app's program, if that of the capture has its name and other bytes. */
function otherProgram(app: App, capture: CaptureJson): string | null {
  const captured = capture.app.files.find(({ role }) => role === 'executable');
  const here = resolve(app.cwd, app.config.command[0] ?? '');
  if (captured === undefined || basename(captured.path) !== basename(here)) return null;
  const isHere = statSync(here, { throwIfNoEntry: false })?.isFile() === true;
  return isHere && sha256OfFile(here) !== captured.sha256 ? basename(here) : null;
}

function warnAboutDifference(accepted: readonly FoundSource[], app: App, capture: CaptureJson, deps: Deps): void {
  const units = accepted.map(({ candidate }) => relative(app.root, candidate.unit.file));
  const [plain] = accepted.flatMap(({ candidate: { unit } }) => (unit.fromDatabase ? [] : [unit.compiler]));
  const { compileCommands } = app.config;
  const missing = compileCommands === undefined ? 'no compile database is named' : `${compileCommands} does not exist`;
  const program = otherProgram(app, capture);
  const build =
    program === null ? [] : [`${program} is another build here than the captured one, perhaps of another text`];
  const options =
    plain === undefined
      ? 'another compiler or other options than those of the captured build, or an edit since'
      : `${missing}, so that plain ${plain} compiled it; for the options of the app, ${databaseHint}`;
  deps.report.warn(
    `recompiling ${units[0] ?? ''} gives ${capture.kernel.name}, but not the captured code object: ${[...build, options].join('; or ')}`,
  );
  if (units.length > 1) {
    deps.report.warn(`it is also in ${units.slice(1).join(', ')}; choose one with --translation-unit`);
  }
}
