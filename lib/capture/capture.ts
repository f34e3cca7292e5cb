import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { openApp, type App } from '../app/app';
import { buildApp } from '../app/build';
import { appIdentity, type AppIdentity } from '../app/identity';
import type { KernelEntry } from '../app/kernloop-json';
import { findProgram } from '../app/program';
import { openDevice, type Device } from '../device/device';
import { withDevice } from '../device/lock';
import { storesFor } from '../store/store';
import type { Deps } from '../support/deps';
import { KernloopError, messageOf } from '../support/error';
import type { RunResult } from '../support/exec';
import { describeEnd } from '../support/ndjson';
import { formatBytes, table } from '../support/report';
import { version } from '../support/version';
import { readCapture, type Selfcheck } from './capture-files';
import { whyNotCaptured } from './not-captured';
import type { Note } from './notes';
import { keepNvrtcProgram } from './nvrtc-programs';
import type { CaptureOptions } from './options';
import { record, type RecorderSelection } from './recorder';
import type { CapturedEvent, RecorderEvent, RefusedEvent, SummaryEvent } from './recorder-events';
import type { CaptureResult, KernelCapture } from './result';
import { selfCheck } from './self-check';

/** What came of every selection, also of those that gave no usable capture. */
export interface CaptureOutcome extends CaptureResult {
  failures: { name: string; error: KernloopError }[];
}

/** Runs the app once and captures every selected kernel; once more with scope `all` for those that need it. */
export async function capture(options: CaptureOptions, deps: Deps): Promise<CaptureResult> {
  const { failures, ...result } = await captureKernels(options, deps);
  const [failure] = failures;
  if (failure) throw withOthers(failure.error, { ...result, failures });
  return result;
}

/** The same, with the failure of one kernel left to the caller, who may have use for the others. */
export async function captureKernels(options: CaptureOptions, deps: Deps): Promise<CaptureOutcome> {
  const app = openApp(options.app);
  const selections = select(app, options);
  const device = await openDevice(options, deps);
  if (options.build) await buildApp(app, deps);
  const program = findProgram(app, deps.env);
  const identity = await appIdentity(app, program, device.env, deps);
  const run = new CaptureRun({ app, program, identity, device, options }, deps);

  const attempt = await withDevice(device, deps, () => attemptWithScopes(run, selections, app, deps));
  const result: CaptureOutcome = {
    app: app.config.name,
    captures: attempt.captures,
    failures: attempt.failures,
    appExitCode: exitCodeOf(attempt.appEnd),
    exitCode: exitCodeOf(attempt.appEnd),
  };
  report(result, attempt.appEnd, app, deps);
  return result;
}

async function attemptWithScopes(run: CaptureRun, selections: readonly Selection[], app: App, deps: Deps): Promise<Attempt> {
  const first = await run.attempt(selections);
  const narrow = first.needsAll.filter(({ scope }) => scope !== 'all');
  if (narrow.length === 0) return first;
  const names = narrow.map(({ name }) => name).join(', ');
  deps.report.info(`${names}: what was captured does not suffice; running ${app.config.name} once more with scope all`);
  return merge(first, await run.attempt(narrow.map((selection) => ({ ...selection, scope: 'all' as const }))));
}

interface Selection extends KernelEntry {
  output: string;
}

interface Attempt {
  captures: KernelCapture[];
  failures: { name: string; error: KernloopError }[];
  /** Selections whose capture, or lack of one, calls for a wider scope. */
  needsAll: Selection[];
  appEnd: RunResult;
}

interface RunContext {
  app: App;
  program: string;
  identity: AppIdentity;
  device: Device;
  options: CaptureOptions;
}

function select(app: App, options: CaptureOptions): Selection[] {
  const names = options.kernel.length > 0 ? [...new Set(options.kernel)] : app.config.kernels.map(({ name }) => name);
  if (names.length === 0) {
    throw new KernloopError('KERNEL_UNKNOWN', `${app.config.name} declares no kernel`, 'add one to "kernels" of kernloop.json; `kernloop profile` lists what the app launches');
  }
  const single = names.length === 1;
  for (const option of ['match', 'ordinal', 'output'] as const) {
    if (options[option] !== undefined && !single) {
      throw new KernloopError('USAGE', `--${option} is for a single kernel, but ${names.length} are selected`, 'name one with --kernel');
    }
  }
  return names.map((name) => {
    const declared: KernelEntry =
      options.match === undefined ? app.kernel(name) : { name, match: checkedRegex(options.match), ordinal: 1, scope: 'reachable' };
    return {
      ...declared,
      ordinal: options.ordinal ?? declared.ordinal,
      scope: options.scope ?? declared.scope,
      output: options.output === undefined ? app.capture(name) : resolve(options.output),
    };
  });
}

function checkedRegex(source: string): string {
  try {
    new RegExp(source);
    return source;
  } catch (error) {
    throw new KernloopError('USAGE', `--match: ${messageOf(error)}`, 'give a valid regular expression (ECMAScript)', { cause: error });
  }
}

class CaptureRun {
  private readonly store: string;

  constructor(
    private readonly context: RunContext,
    private readonly deps: Deps,
  ) {
    const named = context.options.store ?? deps.env['KERNLOOP_STORE'];
    this.store = named ? resolve(named) : context.app.store;
  }

  /** One run of the app, then the self-check of what it gave. */
  async attempt(selections: readonly Selection[]): Promise<Attempt> {
    const nvrtcFolder = mkdtempSync(join(tmpdir(), 'kernloop-nvrtc-'));
    try {
      return await this.attemptWith(selections, nvrtcFolder);
    } finally {
      rmSync(nvrtcFolder, { recursive: true, force: true });
    }
  }

  private async attemptWith(selections: readonly Selection[], nvrtcFolder: string): Promise<Attempt> {
    const { app, program, identity, device, options } = this.context;
    const seen = new RunLog(this.deps);
    mkdirSync(this.store, { recursive: true });
    const appEnd = await record(
      {
        app,
        program,
        device,
        nvrtcFolder,
        timeLimitSeconds: options.timeLimitSeconds,
        config: {
          mode: 'capture',
          selections: selections.map((selection) => this.recorderSelection(selection)),
          store: this.store,
          inline_limit_bytes: options.inlineLimitBytes,
          drain_limit_ms: options.drainLimitMs,
          run_limit_ms: options.runLimitMs,
          tool_version: version,
          app: identity,
          device: device.description,
        },
      },
      (event) => seen.take(event),
      this.deps,
    );
    const attempt: Attempt = { captures: [], failures: [], needsAll: [], appEnd };
    for (const selection of selections) {
      if (seen.captured.has(selection.name) && existsSync(selection.output)) {
        await keepNvrtcProgram(nvrtcFolder, selection.output, this.deps);
      }
      await this.judge(selection, seen, attempt);
    }
    return attempt;
  }

  private recorderSelection({ name, match, ordinal, scope, output }: Selection): RecorderSelection {
    return { id: name, match, ordinal, scope, byte_budget: this.context.options.byteBudget, output };
  }

  private async judge(selection: Selection, seen: RunLog, attempt: Attempt): Promise<void> {
    const event = seen.captured.get(selection.name);
    const violated = seen.violated.has(selection.name);
    if (!event || !existsSync(selection.output)) {
      if (violated) attempt.needsAll.push(selection);
      const error = violated
        ? new KernloopError('CAPTURE_REFUSED', `${selection.name} reached memory outside the captured scope`, 'capture it with --scope all')
        : this.notCaptured(selection, seen, attempt.appEnd);
      attempt.failures.push({ name: selection.name, error });
      return;
    }
    const { selfcheck, scopeTooSmall } = await this.check(selection, event, seen);
    attempt.captures.push(describe(selection, event, selfcheck));
    if (violated || scopeTooSmall) attempt.needsAll.push(selection);
    if (selfcheck?.verdict === 'failed') {
      attempt.failures.push({
        name: selection.name,
        error: new KernloopError(
          'SELFCHECK_FAILED',
          `${selection.name}: the capture does not replay: ${selfcheck.reason ?? 'no reason given'}`,
          selection.scope === 'all'
            ? 'the kernel depends on something that is not device memory (another queue, the host, time); capture another dispatch with --ordinal'
            : 'capture it with --scope all, or another dispatch with --ordinal',
        ),
      });
    }
  }

  private async check(
    selection: Selection,
    event: CapturedEvent,
    seen: RunLog,
  ): Promise<{ selfcheck: Selfcheck | null; scopeTooSmall: boolean }> {
    if (!this.context.options.selfCheck || seen.violated.has(event.id)) return { selfcheck: null, scopeTooSmall: false };
    this.warnOfOtherGpu(selection);
    this.deps.report.info(`${selection.name}: captured ${formatBytes(event.bytes_raw)}; replaying it to check it`);
    return selfCheck(
      {
        capture: selection.output,
        stores: storesFor(selection.output, this.deps.env, this.store),
        waveInstructions: event.wave_instructions ?? null,
        limitSeconds: this.context.options.runLimitMs / 1000,
      },
      this.context.device,
      this.deps,
    );
  }

  /** The app chose among several GPUs; the replay takes the first. */
  private warnOfOtherGpu({ name, output }: Selection): void {
    const ordinal = readCapture(output).geometry.attributes['device_ordinal'] ?? 0;
    if (ordinal === 0) return;
    this.deps.report.warn(
      `${name} was captured on GPU ${ordinal} of those that the app sees, and is replayed on the first, ${this.context.device.description.name}; --gpu chooses one for both`,
    );
  }

  private notCaptured(selection: Selection, seen: RunLog, appEnd: RunResult): KernloopError {
    if (!seen.summary) {
      return new KernloopError('NATIVE_FAILED', 'kernloop-recorder ended without a summary', 'run `npm run build:native`; if it stays, report it');
    }
    return whyNotCaptured(
      selection,
      {
        app: this.context.app.config.name,
        device: this.context.device.description.kind,
        command: this.context.app.config.command.join(' '),
        appEnd,
        summary: seen.summary,
        kernels: seen.kernels,
        refused: seen.refused,
        notes: seen.notes,
      },
    );
  }
}

const progressIntervalMs = 2000;

/** What the recorder said during one run. */
class RunLog {
  readonly captured = new Map<string, CapturedEvent>();
  /** Selections whose latest word is a violation of their scope. */
  readonly violated = new Set<string>();
  readonly kernels: { name: string; symbol: string }[] = [];
  readonly refused: RefusedEvent[] = [];
  readonly notes: Note[] = [];
  summary: SummaryEvent | undefined;
  private lastProgressMs = 0;

  constructor(private readonly deps: Deps) {}

  private progress(id: string, bytes: number): void {
    const now = this.deps.clock.monotonicMs();
    if (now - this.lastProgressMs < progressIntervalMs) return;
    this.lastProgressMs = now;
    this.deps.report.info(`${id}: ${formatBytes(bytes)} so far`);
  }

  take(event: RecorderEvent): void {
    switch (event.event) {
      case 'kernel':
        this.kernels.push({ name: event.name, symbol: event.symbol });
        break;
      case 'matched':
        this.deps.report.info(`${event.id}: capturing ${event.kernel ?? ''}`);
        this.lastProgressMs = this.deps.clock.monotonicMs();
        break;
      case 'capturing':
        this.progress(event.id ?? '', event.bytes ?? 0);
        break;
      case 'captured':
        this.captured.set(event.id, event);
        this.violated.delete(event.id);
        break;
      case 'scope_violation':
        this.violated.add(event.id);
        break;
      case 'refused':
        this.refused.push(event);
        if (event.code !== 'SCOPE_VIOLATION') this.deps.report.warn(`${event.id}: ${event.reason}`);
        break;
      case 'note':
        this.notes.push(event);
        // Nothing is amiss: the agent has done its work.
        if (event.code !== 'LAUNCHES_NOT_COUNTED') this.deps.report.info(`${event.code}: ${event.text}`);
        break;
      case 'summary':
        this.summary = event;
        break;
      default:
        break;
    }
  }
}

function describe(selection: Selection, event: CapturedEvent, selfcheck: Selfcheck | null): KernelCapture {
  return {
    name: selection.name,
    kernel: event.kernel,
    output: selection.output,
    regions: event.regions,
    bytesRaw: event.bytes_raw,
    bytesStored: event.bytes_stored,
    bytesTracked: event.bytes_tracked,
    gridBlocks: event.geometry.grid_blocks,
    blockThreads: event.geometry.block_threads,
    waveInstructions: event.wave_instructions ?? null,
    scope: selection.scope,
    selfcheck,
  };
}

/** What the wider run says of a selection replaces what the first one said. */
function merge(first: Attempt, wider: Attempt): Attempt {
  const redone = new Set([...wider.captures, ...wider.failures].map(({ name }) => name));
  const keep = <T extends { name: string }>(items: readonly T[]): T[] => items.filter(({ name }) => !redone.has(name));
  return {
    captures: [...keep(first.captures), ...wider.captures],
    failures: [...keep(first.failures), ...wider.failures],
    needsAll: wider.needsAll,
    appEnd: wider.appEnd,
  };
}

function exitCodeOf(appEnd: RunResult): number {
  return appEnd.exitCode ?? 128 + signalNumber(appEnd.signal);
}

function signalNumber(signal: string | null): number {
  const numbers: Record<string, number> = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGILL: 4, SIGABRT: 6, SIGBUS: 7, SIGFPE: 8, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 };
  return signal === null ? 0 : (numbers[signal] ?? 0);
}

/** The first failure is the error; the others and what was captured are told with it. */
function withOthers(error: KernloopError, { failures, captures }: CaptureOutcome): KernloopError {
  const others = failures.slice(1).map(({ error: other }) => `also: ${other.what}`);
  const done = captures.filter(({ name }) => !failures.some((failure) => failure.name === name)).map(({ name }) => name);
  const kept = done.length > 0 ? [`captured nevertheless: ${done.join(', ')}`] : [];
  return new KernloopError(error.code, [error.what, ...others, ...kept].join('\n'), error.hint, { cause: error });
}

function report(result: CaptureResult, appEnd: RunResult, app: App, deps: Deps): void {
  if (result.captures.length > 0) {
    const rows = result.captures.map((capture) => [
      capture.name,
      `${capture.gridBlocks.join('×')} blocks × ${capture.blockThreads.join('×')}`,
      String(capture.regions),
      formatBytes(capture.bytesRaw),
      formatBytes(capture.bytesStored),
      formatBytes(capture.bytesTracked),
      capture.selfcheck?.verdict ?? 'not checked',
      relative(process.cwd(), capture.output) || '.',
    ]);
    const header = ['kernel', 'launch', 'regions', 'captured', 'stored', 'app holds', 'self-check', 'capture'];
    for (const line of table([header, ...rows])) deps.report.result(line);
  }
  if (result.captures.length > 0 && appEnd.exitCode !== 0) {
    deps.report.warn(`${describeEnd(app.config.command.join(' '), appEnd)}\nafter the capture, which stays`);
  }
}
