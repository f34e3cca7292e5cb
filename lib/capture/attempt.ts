import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import type { App } from '../app/app';
import type { OrdinalRange } from '../app/dispatches';
import type { AppIdentity } from '../app/identity';
import { launchObstacles, otherRuntime, sameFile, type LaunchObstacle } from '../app/launch';
import type { Device } from '../device/device';
import { throughRuntime } from '../device/hsa';
import { storesFor } from '../archive/stores';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { formatBytes } from '../support/report';
import { version } from '../support/version';
import { readCapture, type Selfcheck } from '../archive/capture-files';
import {
  countedDifferently,
  launchedOnce,
  oneOfSeveral,
  otherThanDeclared,
  otherThanProject,
  severalMatched,
  whyFewer,
  whyNotCaptured,
  type Seen,
} from './not-captured';
import { whyNoAgent } from '../recorder/no-agent';
import { descriptorsClosed } from '../recorder/notes';
import { Kept } from './kept';
import { keepNvrtcProgram } from './nvrtc-programs';
import type { CaptureOptions } from './options';
import { appProcesses, describeProcess, type AppProcess, type ProcessName } from '../recorder/processes';
import { record, type RecordedEnd } from '../recorder/recorder';
import type { CapturedEvent } from '../recorder/recorder-events';
import { removeCapture, replaceFolder } from './outputs';
import { planOf } from './plan';
import type { CapturePlan, KernelCapture } from './result';
import { RunLog } from './run-log';
import type { SelfCheckTarget } from './replays';
import { recorderSelection, takesSeveral, type Request } from './selection';
import { codeAddressInMemory, selfCheck } from './self-check';
import { shrink } from './shrink';
import { hasChecked, placeOf } from './staging';
import { keepTritonProgram, TritonRecords } from './triton-programs';

export interface Failure {
  /** Name of the kernel in kernloop.json. */
  name: string;
  error: KernloopError;
}

/** Result of one run of the app. */
export interface Attempt {
  captures: KernelCapture[];
  /** Plans of a dry run, which takes no captures. */
  plans: CapturePlan[];
  failures: Failure[];
  /** Places of captures that failed their self-check and were dropped, because a checked one is there or beside. */
  dropped: string[];
  /** Requests that only another run can serve. */
  again: Request[];
  appEnd: RecordedEnd;
  processes: AppProcess[];
}

/** Folders in which the app's processes record what they compile. */
interface CompilerFolders {
  nvrtc: string;
  triton: string;
}

export interface RunContext {
  app: App;
  program: string;
  identity: AppIdentity;
  device: Device;
  options: CaptureOptions;
}

/**
 * Part of kernloop-replay's message for a fault where HIP would provide a service (native/replay/core/session/replaying.cpp).
 * It names an option of replay and validate, so capture gives its own next step.
 */
const wantsHip = '; launch it with --launch hip, which has';

function nextStep(reason: string | null | undefined, { scope }: Pick<Request, 'scope'>): string {
  if (reason?.includes(wantsHip))
    return 'a kernel that prints, allocates or asserts on the device is served by the process that launched it, and is not judged: capture another one, or keep this one for replay alone, with --no-self-check and `replay --launch hip`';
  if (reason?.includes(codeAddressInMemory))
    return 'functions stay where they were on the software GPU alone: capture with --device softgpu, or keep this one for `replay --device softgpu`, with --no-self-check';
  return scope === 'all'
    ? 'the kernel depends on something that is not device memory (what it reads before writing it, another queue, the host, time); capture another dispatch with --dispatch, or keep this one for replay alone with --no-self-check'
    : 'capture it with --scope all, or another dispatch with --dispatch';
}

/** Runs the app and self-checks the captures of each run. */
export class CaptureRun {
  readonly kept = new Kept();
  private readonly store: string;
  private runs = 0;

  constructor(
    private readonly context: RunContext,
    private readonly deps: Deps,
  ) {
    const named = context.options.store ?? deps.env['KERNLOOP_STORE'];
    this.store = named ? resolve(named) : context.app.store;
  }

  /** Runs the app once, then self-checks its captures. */
  async attempt(requests: readonly Request[]): Promise<Attempt> {
    const folders = {
      nvrtc: mkdtempSync(join(tmpdir(), 'kernloop-nvrtc-')),
      triton: mkdtempSync(join(tmpdir(), 'kernloop-triton-')),
    };
    try {
      return await this.attemptWith(requests, folders);
    } finally {
      for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true });
    }
  }

  private async attemptWith(requests: readonly Request[], folders: CompilerFolders): Promise<Attempt> {
    const log = new RunLog(this.deps);
    this.runs += 1;
    this.kept.stays(requests.map(({ selection }) => selection));
    const appEnd = await this.record(requests, folders, log);
    if (log.summary?.processes === 0) log.obstacle = await this.whyNoAgent(log);
    const attempt: Attempt = {
      captures: [],
      plans: [],
      failures: [],
      dropped: [],
      again: [],
      appEnd,
      processes: appProcesses(log.summary),
    };
    const triton = new TritonRecords(folders.triton);
    for (const request of requests) {
      for (const { output } of log.captured(request)) {
        if (!existsSync(output)) continue;
        await keepNvrtcProgram(folders.nvrtc, output, this.deps);
        keepTritonProgram(triton, output, this.deps);
      }
      await this.isolated(request, attempt, () => this.judge(request, log, attempt));
    }
    return attempt;
  }

  private record(requests: readonly Request[], folders: CompilerFolders, log: RunLog): Promise<RecordedEnd> {
    const { app, program, identity, device, options } = this.context;
    if (!options.dryRun) mkdirSync(this.store, { recursive: true });
    return record(
      {
        app,
        program,
        device,
        nvrtcFolder: folders.nvrtc,
        tritonFolder: folders.triton,
        timeLimitSeconds: options.timeLimitSeconds,
        lingerSeconds: options.lingerSeconds,
        untrackedMemory: options.untrackedMemory,
        onUnseen: (processes) => {
          log.unseen = processes;
        },
        config: {
          mode: 'capture',
          selections: requests.map(recorderSelection),
          ...(options.dryRun ? { dry_run: true } : {}),
          store: options.dryRun ? null : this.store,
          inline_limit_bytes: options.inlineLimitBytes,
          pipeline_bytes: options.memoryBytes,
          drain_limit_ms: options.drainLimitMs,
          run_limit_ms: options.runLimitMs,
          tool_version: version,
          app: identity,
          device: device.description,
        },
      },
      (event) => {
        this.kept.take(event);
        log.take(event);
      },
      this.deps,
    );
  }

  private async whyNoAgent({ unseen }: RunLog): Promise<LaunchObstacle | undefined> {
    const { app, program, device } = this.context;
    return whyNoAgent({
      app: app.config.name,
      processes: unseen,
      obstacles: await launchObstacles(app, program, device, this.deps),
      runtime: device.runtime,
    });
  }

  /** Device as the app reached it: a library path built into the app may load another runtime than the chosen one. */
  private deviceOf({ pid }: CapturedEvent, { processes }: RunLog): Device {
    const { device } = this.context;
    const runtime = processes.runtimes().find((process) => process.pid === pid);
    if (runtime === undefined) return device;
    if (device.runtime === null || sameFile(runtime.runtime, device.runtime)) {
      return throughRuntime(device, runtime.runtime);
    }
    const { code, what, hint } = otherRuntime(`${describeProcess(runtime)} loaded ${runtime.runtime}`);
    throw new KernloopError(code, what, hint);
  }

  /** Each process counts its own dispatches; the first process to reach the wanted dispatch is captured. */
  private tellOfOthers({ selection: { name } }: Request, { pid }: CapturedEvent, { processes }: RunLog): void {
    const others = processes.lateFor(name);
    const owner = processes.name(pid);
    if (others.length === 0 || owner === null) return;
    this.deps.report.info(
      `${name}: captured in ${describeProcess(owner)}, the first to launch it; process ${others.join(', ')} did later`,
    );
  }

  /** An error in one selection must not lose the others. */
  private async isolated({ selection }: Request, attempt: Attempt, judge: () => Promise<void>): Promise<void> {
    try {
      await judge();
    } catch (error) {
      if (!(error instanceof KernloopError) || error.code === 'INTERRUPTED') throw error;
      attempt.failures.push({ name: selection.name, error });
    }
  }

  private async judge(request: Request, log: RunLog, attempt: Attempt): Promise<void> {
    if (request.counting) return this.judgeCount(request, log, attempt);
    const { selection } = request;
    const seen = this.seen(log, request, attempt.appEnd);
    const captured = log.captured(request).filter(({ output }) => existsSync(output));
    const planned = log.planned(request);
    const taken = [...captured, ...planned];
    const unmeant =
      otherThanDeclared(selection, taken, seen) ??
      severalMatched(selection, taken, seen) ??
      otherThanProject(selection, taken, seen);
    if (unmeant !== undefined) {
      captured.forEach(({ output }) => removeCapture(output));
      throw unmeant;
    }
    const violations = log.violations(request);
    const again = new AgainList(request);
    const failures = [
      ...violations
        .filter(({ ordinal }) => !again.withScopeAll(ordinal))
        .map(({ ordinal }) => outsideOfScope(this.label(request, ordinal))),
      ...refusals(request, seen, captured.length, again),
    ];
    for (const event of captured) {
      // A single capture is replaced by that of another run, so it is not judged.
      if (takesSeveral(selection) || again.requests().length === 0)
        await this.judgeCapture(request, event, again, attempt, log);
    }
    if (captured[0]) this.tellOfOthers(request, captured[0], log);
    const one = oneOfSeveral(selection, taken, seen);
    if (one !== undefined && again.requests().length === 0) this.deps.report.info(one);
    attempt.plans.push(...planned.map((event) => planOf(request, event)));
    const attempts = [...captured, ...planned, ...violations, ...seen.refused];
    const launchedBefore = this.runs > 1 && seen.matches === 0 && attempt.appEnd.exitCode === 0;
    if (attempts.length === 0)
      failures.push(launchedBefore ? launchedOnce(request, seen) : whyNotCaptured(request, seen));
    else
      failures.push(
        ...fewer(
          request,
          attempts.map(({ ordinal }) => ordinal),
          seen,
        ),
      );
    attempt.failures.push(...failures.map((error) => ({ name: selection.name, error })));
    attempt.again.push(...again.requests());
    this.tellOfLimit(request, captured.length);
  }

  private judgeCount(request: Request, log: RunLog, attempt: Attempt): void {
    const { selection } = request;
    const seen = this.seen(log, request, attempt.appEnd);
    const last = 'last' in selection.dispatches ? selection.dispatches.last : 0;
    if (seen.matches < last || attempt.appEnd.exitCode !== 0) {
      attempt.failures.push({
        name: selection.name,
        error: whyNotCaptured({ ...request, ordinals: [[last, last]] }, seen),
      });
      return;
    }
    const ordinals: OrdinalRange[] = [[seen.matches - last + 1, seen.matches]];
    attempt.again.push({ ...request, counting: false, counted: seen.matches, ordinals });
  }

  private async judgeCapture(
    request: Request,
    event: CapturedEvent,
    again: AgainList,
    attempt: Attempt,
    log: RunLog,
  ): Promise<void> {
    const device = this.deviceOf(event, log);
    const label = this.label(request, event.ordinal);
    const checked = await this.check(label, event, device);
    if (checked.scopeTooSmall && again.withScopeAll(event.ordinal)) return;
    const { selfcheck, bytesStored } = await this.shrink(label, event, checked.selfcheck, device);
    const output = placeOf(request.selection, event.output);
    const isStaged = output !== event.output;
    const stored = { ...event, output, bytes_stored: bytesStored ?? event.bytes_stored };
    const capture = describe(request, stored, selfcheck, log.processes.name(event.pid));
    if (selfcheck?.verdict !== 'failed') {
      if (isStaged) replaceFolder(event.output, output);
      attempt.captures.push(capture);
      if (selfcheck !== null) this.kept.hasPassed(event.output);
      if (selfcheck?.reason) this.deps.report.info(`${label}: ${selfcheck.reason}`);
      return;
    }
    if (isStaged) attempt.dropped.push(output);
    else attempt.captures.push(capture);
    const place = relative(process.cwd(), request.selection.output) || '.';
    const before = hasChecked(request.selection.output) ? `; the checked capture from before stays in ${place}` : '';
    const left = isStaged ? `. It is dropped${before}` : '';
    attempt.failures.push({
      name: request.selection.name,
      error: new KernloopError(
        'SELFCHECK_FAILED',
        `${label}: the capture does not replay: ${selfcheck.reason?.replace(wantsHip, '') ?? 'no reason given'}${left}`,
        nextStep(selfcheck.reason, request),
      ),
    });
  }

  private label({ selection }: Request, ordinal: number): string {
    return takesSeveral(selection) ? `${selection.name}, dispatch ${ordinal}` : selection.name;
  }

  /** If the limit ended a selection, there may have been more dispatches. */
  private tellOfLimit({ selection, ordinals, each }: Request, captured: number): void {
    const open = each !== 'dispatch' || ordinals.some(([, last]) => last === null);
    if (!takesSeveral(selection) || !open || captured < selection.limit) return;
    this.deps.report.info(`${selection.name}: ${captured} captured, which is the limit; --limit raises it`);
  }

  private async check(
    label: string,
    event: CapturedEvent,
    device: Device,
  ): Promise<{ selfcheck: Selfcheck | null; scopeTooSmall: boolean }> {
    if (!this.context.options.selfCheck) return { selfcheck: null, scopeTooSmall: false };
    this.warnOfOtherGpu(label, event.output);
    this.deps.report.info(`${label}: captured ${formatBytes(event.bytes_raw)}; replaying it to check it`);
    return selfCheck(this.target(event), device, this.deps);
  }

  private target(event: CapturedEvent): SelfCheckTarget {
    return {
      capture: event.output,
      stores: storesFor(event.output, this.deps.env, this.store),
      waveInstructions: event.wave_instructions ?? null,
      limitSeconds: this.context.options.runLimitMs / 1000,
    };
  }

  private async shrink(
    label: string,
    event: CapturedEvent,
    selfcheck: Selfcheck | null,
    device: Device,
  ): Promise<{ selfcheck: Selfcheck | null; bytesStored?: number }> {
    const { options } = this.context;
    if (!options.shrink || selfcheck === null || selfcheck.verdict === 'failed') return { selfcheck };
    const { inlineLimitBytes } = options;
    return shrink(
      { target: this.target(event), selfcheck, store: this.store, inlineLimitBytes, label },
      device,
      this.deps,
    );
  }

  /** The app chose among several GPUs; the replay uses the first. */
  private warnOfOtherGpu(name: string, output: string): void {
    const ordinal = readCapture(output).geometry.attributes['device_ordinal'] ?? 0;
    if (ordinal === 0) return;
    this.deps.report.warn(
      `${name} was captured on GPU ${ordinal} of those that the app sees, and is replayed on the first, ${this.context.device.description.name}; --gpu chooses one for both`,
    );
  }

  private seen(log: RunLog, request: Request, appEnd: RecordedEnd): Seen {
    if (!log.summary) {
      throw new KernloopError(
        'NATIVE_FAILED',
        'kernloop-recorder ended without a summary',
        'install kernloop once more (in a checkout: `npm run build:native`); if it stays, report it',
      );
    }
    const { app, program, device } = this.context;
    return {
      app: app.config.name,
      program,
      device: device.description,
      command: app.config.command.join(' '),
      appEnd,
      summary: log.summary,
      matches: log.matches(request),
      kernels: log.kernels,
      refused: log.refusals(request),
      notes: log.notes,
      obstacle: log.obstacle,
    };
  }
}

/** Dispatches of a request that need another run. */
class AgainList {
  private readonly wider: OrdinalRange[] = [];
  private readonly same: OrdinalRange[] = [];

  constructor(private readonly request: Request) {}

  /** Returns false if the scope is already `all`. */
  withScopeAll(ordinal: number): boolean {
    if (this.request.scope === 'all') return false;
    this.wider.push([ordinal, ordinal]);
    return true;
  }

  unchanged(ordinal: number | undefined): void {
    this.same.push(...(ordinal === undefined ? this.request.ordinals : [[ordinal, ordinal] as const]));
  }

  requests(): Request[] {
    const exactly = (ordinals: OrdinalRange[], scope: Request['scope']): Request[] => {
      if (ordinals.length === 0) return [];
      if (!takesSeveral(this.request.selection)) return [{ ...this.request, scope }];
      return [{ ...this.request, ordinals: [...ordinals].sort((a, b) => a[0] - b[0]), each: 'dispatch', scope }];
    };
    return [...exactly(this.wider, 'all'), ...exactly(this.same, this.request.scope)];
  }
}

/** Errors for the refusals that are final. */
function refusals(request: Request, seen: Seen, captured: number, again: AgainList): KernloopError[] {
  return seen.refused.flatMap((refusal) => {
    if (refusal.code === 'SELECTION_CONFLICT') {
      again.unchanged(refusal.ordinal);
      return [];
    }
    const replaced = captured > 0 && !takesSeveral(request.selection);
    return replaced ? [] : [whyNotCaptured(request, { ...seen, refused: [refusal] })];
  });
}

/** Errors of a selection that attempted something, but not everything requested. */
function fewer(request: Request, attempted: readonly (number | undefined)[], seen: Seen): KernloopError[] {
  if (request.counted !== null) {
    // If descriptors were closed, the agent saw no later dispatch: the last one that it counted may not be the last.
    const closed = descriptorsClosed(seen.notes);
    if (closed) return [closed];
    if (request.counted !== seen.matches) return [countedDifferently(request, seen)];
  }
  // Otherwise a range says where to look, not how many must exist; and a refusal without an ordinal may concern the
  // whole selection.
  if (request.each !== 'dispatch' || !takesSeveral(request.selection) || attempted.includes(undefined)) return [];
  const missing = askedFor(request.ordinals).filter((ordinal) => !attempted.includes(ordinal));
  return missing.length === 0 ? [] : [whyFewer(request, missing, seen)];
}

/** Ordinals that must exist: all of a range, or the first if it has no end. */
function askedFor(ordinals: readonly OrdinalRange[]): number[] {
  return ordinals.flatMap(([first, last]) => Array.from({ length: (last ?? first) - first + 1 }, (_, i) => first + i));
}

function outsideOfScope(label: string): KernloopError {
  return new KernloopError(
    'CAPTURE_REFUSED',
    `${label} reached memory outside the captured scope`,
    'capture it with --scope all',
  );
}

function describe(
  { selection, scope }: Request,
  event: CapturedEvent,
  selfcheck: Selfcheck | null,
  process: ProcessName | null,
): KernelCapture {
  return {
    name: selection.name,
    kernel: event.kernel,
    ordinal: event.ordinal,
    output: event.output,
    regions: event.regions,
    bytes_raw: event.bytes_raw,
    bytes_stored: event.bytes_stored,
    bytes_dropped: selfcheck?.shrink?.dropped_bytes ?? 0,
    bytes_tracked: event.bytes_tracked,
    grid_blocks: event.geometry.grid_blocks,
    block_threads: event.geometry.block_threads,
    wave_instructions: event.wave_instructions ?? null,
    scope,
    process,
    selfcheck,
  };
}
