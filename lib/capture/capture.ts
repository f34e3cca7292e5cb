import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { openApp, type App } from '../app/app';
import { buildApp } from '../app/build';
import { appIdentity } from '../app/identity';
import { inputOf } from '../app/input';
import { isMatched } from '../app/kernel-match';
import { sayInterpreter } from '../app/interpreter';
import { findProgram } from '../app/program';
import { appVariables } from '../app/variables';
import { captureFile, readCapture } from '../archive/capture-files';
import { forgetKept } from '../archive/kept-capture';
import { openDevice } from '../device/open-device';
import { withDevice } from '../device/lock';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import type { RunResult } from '../support/exec';
import { describeEnd } from '../support/ndjson';
import { tellingWhatIsKept } from '../support/interrupted';
import { MadeFolder } from '../support/made-folder';
import { taken } from '../support/output-file';
import { kernelFile } from '../support/project-file-names';
import { formatBytes, table } from '../support/report';
import { CaptureRun, type Attempt, type Failure } from './attempt';
import { keptSelections } from './kept-selections';
import type { CaptureOptions } from './options';
import { settleOutputs } from './outputs';
import { requireCapturePlace, requireOwnPlace } from './owner';
import { withKnownKernels } from '../profile/known-kernels';
import { processLines } from '../recorder/processes';
import type { CaptureResult, KernelCapture } from './result';
import { planLines } from './plan';
import { removeStaged, stagedSelections } from './staging';
import { firstRequest, selectionsOf, type CapturingOptions, type Request, type Selection } from './selection';

/** Result of every selection, including those without a usable capture. */
export interface CaptureOutcome extends CaptureResult {
  failures: Failure[];
}

/** Runs the app and captures every selected kernel. */
export async function capture(options: CaptureOptions, deps: Deps): Promise<CaptureResult> {
  const app = openApp(options.app, deps.opened);
  const selections = withKnownKernels(app, deps.env, () => selectionsOf(app, options, deps.report));
  const kept = options.dryRun ? [] : keptSelections(app, selections);
  const [first] = kept;
  if (first && (options.kernel.length > 0 || kept.length === selections.length))
    throw new KernloopError(
      'USAGE',
      first.text,
      '`kernloop extract NAME` makes a project of it; --output FOLDER captures into another folder',
    );
  for (const { text } of kept) deps.report.result(text);
  const wanted = selections.filter((selection) => kept.every((each) => each.selection !== selection));
  const { failures, ...result } = await captureSelections(options, wanted, deps, app);
  const [failure] = failures;
  if (failure) throw withOthers(failure.error, { ...result, failures });
  return result;
}

/** Like `capture`, as a task that others depend on: a capture from elsewhere is its result. */
export async function captureUnlessKept(options: CaptureOptions, deps: Deps): Promise<boolean> {
  const app = openApp(options.app, deps.opened);
  const kept = keptSelections(app, selectionsOf(app, options, deps.report));
  for (const { text } of kept) deps.report.result(text);
  if (kept.length === 0) await capture(options, deps);
  return true;
}

/** Like `capture`, but returns failures of single kernels, because the caller may use the others. */
export async function captureKernels(app: App, options: CapturingOptions, deps: Deps): Promise<CaptureOutcome> {
  const selections = withKnownKernels(app, deps.env, () => selectionsOf(app, options, deps.report));
  return captureSelections(options, selections, deps, app);
}

/** Captures selections of one app, each with its own settings; only the shared settings of `options` apply. */
export async function captureSelections(
  options: CaptureOptions,
  selections: readonly Selection[],
  deps: Deps,
  app = openApp(options.app, deps.opened),
): Promise<CaptureOutcome> {
  if (!options.dryRun) {
    for (const selection of selections) {
      requireOwnPlace(app, selection.name, selection.output);
      requireCapturePlace(selection.output);
      if (selection.isElsewhere) refuseOtherKernel(selection);
    }
  }
  if (options.shrink && !options.selfCheck)
    throw new KernloopError(
      'USAGE',
      '--shrink is proven by replays, which --no-self-check leaves out',
      'leave one of them out',
    );
  const device = await openDevice(options, deps);
  if (options.build) await buildApp(app, deps);
  const program = findProgram(app, deps.env, device.description.isa);
  sayInterpreter(app, deps);
  inputOf(app, deps);
  const identity = await appIdentity(app, program, appVariables(app, device, deps), deps);
  const isAtOnce = options.dryRun || (!options.selfCheck && selections.every(({ declared }) => declared === undefined));
  const staged = isAtOnce ? [...selections] : stagedSelections(selections);
  const run = new CaptureRun({ app, program, identity, device, options }, deps);
  const rounds = (): Promise<Attempt> =>
    withDevice(device, deps, () => inRounds(run, staged.map(firstRequest), app, deps));
  const { kept } = run;
  const earlier = new Map(selections.map(({ output }) => [output, kernelIn(output)?.name]));
  const folders = options.dryRun ? [] : selections.map(({ output }) => new MadeFolder(dirname(output)));
  let attempt: Attempt;
  try {
    attempt = await (options.dryRun
      ? rounds()
      : tellingWhatIsKept(
          () => kept.text(),
          rounds,
          () => kept.again(),
        ));
  } finally {
    removeStaged(staged);
    folders.reverse().forEach((folder) => folder.removeIfEmpty());
  }
  const captures = selections.flatMap((selection) =>
    settleOutputs(
      selection,
      attempt.captures.filter(({ name }) => name === selection.name).sort((a, b) => a.ordinal - b.ordinal),
      attempt.dropped,
    ),
  );
  for (const { output, kernel } of captures) {
    forgetKept(output);
    const replaced = earlier.get(output) ?? kernel;
    if (replaced !== kernel)
      deps.report.warn(
        `${relative(process.cwd(), output)} held a capture of ${replaced}: that of ${kernel} replaced it`,
      );
  }
  const exitCode = exitCodeOf(attempt.appEnd);
  const { plans, failures, processes, appEnd } = attempt;
  const exit = { app_exit_code: exitCode, exit_code: exitCode };
  const result = { app: app.config.name, captures, plans, failures, processes, ...exit };
  report(result, appEnd, app, deps);
  return result;
}

/** Refuses a folder with the capture of a kernel that the selection does not mean, and the folder of a project. */
function refuseOtherKernel({ output, match, wholeName }: Selection): void {
  const shown = relative(process.cwd(), output) || '.';
  const hint = 'name another folder with --output, or move this one away';
  if (existsSync(join(output, kernelFile)))
    throw taken(`${shown} is the folder of a reproducer, and its capture is in ${join(shown, 'capture')}`, hint);
  const there = kernelIn(output);
  if (there !== undefined && !isMatched({ match, wholeName }, there))
    throw taken(`${shown} holds a capture of ${there.name}, which /${match}/ does not match`, hint);
}

/** Kernel of the capture in a folder; undefined without a readable one. */
function kernelIn(folder: string): { name: string; symbol: string } | undefined {
  try {
    return existsSync(captureFile(folder)) ? readCapture(folder).kernel : undefined;
  } catch (error) {
    if (error instanceof KernloopError) return undefined;
    throw error;
  }
}

/**
 * Serves all requests in one run, and in further runs those that need a wider scope, the last dispatches, or a dispatch
 * that two requests wanted.
 */
async function inRounds(run: CaptureRun, requests: readonly Request[], app: App, deps: Deps): Promise<Attempt> {
  const total = await run.attempt(requests);
  while (total.again.length > 0) {
    const again = distinct(total.again);
    deps.report.info(`running ${app.config.name} once more: ${again.map(reason).join('; ')}`);
    const next = await run.attempt(again);
    total.captures.push(...next.captures);
    total.plans.push(...next.plans);
    total.failures.push(...next.failures);
    total.dropped.push(...next.dropped);
    total.again = [...total.again.filter((request) => !again.includes(request)), ...next.again];
    total.appEnd = next.appEnd;
    total.processes = next.processes;
  }
  return total;
}

/** Keeps one request per kernel, because a run takes only one. */
function distinct(requests: readonly Request[]): Request[] {
  return [...new Map([...requests].reverse().map((request) => [request.selection.name, request])).values()].reverse();
}

function reason({ selection: { name }, scope, selection, counted }: Request): string {
  if (counted !== null) return `for the last of ${counted} dispatches of ${name}`;
  if (scope !== selection.scope) return `what was captured of ${name} does not suffice, now with scope all`;
  return `for ${name}, which another selection wanted as well`;
}

/** Throws the first failure; its message also names the other failures and the captures. */
function withOthers(error: KernloopError, { failures, captures }: CaptureOutcome): KernloopError {
  const others = failures.slice(1).map(({ error: other }) => `also: ${other.what}`);
  const done = captures
    .filter(({ selfcheck }) => selfcheck?.verdict !== 'failed')
    .map((capture) => nameOf(capture, captures));
  const kept = done.length > 0 ? [`captured nevertheless: ${done.join(', ')}`] : [];
  return new KernloopError(error.code, [error.what, ...others, ...kept].join('\n'), error.hint, { cause: error });
}

function report(result: CaptureResult, appEnd: RunResult, app: App, deps: Deps): void {
  for (const plan of result.plans) for (const line of planLines(plan)) deps.report.result(line);
  if (result.captures.length > 0) {
    const several = result.processes.length > 1;
    const rows = result.captures.map((capture) => [
      capture.name,
      ...(several ? [String(capture.process?.pid ?? '')] : []),
      String(capture.ordinal),
      `${capture.grid_blocks.join('×')} blocks × ${capture.block_threads.join('×')}`,
      String(capture.regions),
      formatBytes(capture.bytes_raw),
      formatBytes(capture.bytes_stored),
      formatBytes(capture.bytes_tracked),
      capture.selfcheck?.verdict ?? 'not checked',
      relative(process.cwd(), capture.output) || '.',
    ]);
    const header = [
      'kernel',
      ...(several ? ['process'] : []),
      'dispatch',
      'launch',
      'regions',
      'captured',
      'stored',
      'app holds',
      'self-check',
      'capture',
    ];
    for (const line of table([header, ...rows])) deps.report.result(line);
  }
  if (result.processes.length > 1) for (const line of processLines(result.processes)) deps.report.info(line);
  if (result.captures.length > 0 && appEnd.exitCode !== 0) {
    deps.report.warn(`${describeEnd(app.config.command.join(' '), appEnd)}\nafter the capture, which stays`);
  }
}

function nameOf({ name, ordinal }: KernelCapture, all: readonly KernelCapture[]): string {
  return all.filter((other) => other.name === name).length > 1 ? `${name} (dispatch ${ordinal})` : name;
}

/** Exit code as a shell reports it. */
function exitCodeOf({ exitCode, signal }: RunResult): number {
  return exitCode ?? 128 + (signal === null ? 0 : constants.signals[signal as NodeJS.Signals]);
}
