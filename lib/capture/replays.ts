import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UnusedRange } from '../archive/dropped';
import type { OverwrittenRow, Reread } from '../archive/overwritten';
import type { Deps } from '../deps/deps';
import type { Device } from '../device/device';
import { adverseInstructions } from '../replay/adverse';
import { instructionLimit } from '../replay/limit';
import type { Fill, ReplayOutcome, ReplayRequest } from '../replay/program';
import { replayWithinLimit } from '../replay/within-limit';
import { writeJson } from '../support/files';

/**
 * Maximum seeds of a calibration, or replays on hardware, which takes no seed. Every eighth seed is 0, the ascending
 * order of the app: sums may have a much larger or smaller error in it than in other orders, for example if all
 * additions precede all subtractions.
 */
const calibrationSeeds = Array.from({ length: 256 }, (_, index) => (index % 8 === 0 ? 0 : index));
/** Minimum of a calibration if waves follow a seed. */
const settling = { replays: 32, seconds: 20 };
/** Hardware is fast, but its order varies less between launches than between processes. */
const processes = { least: 8, most: 32, replaysOfEach: 8, seconds: 60 };

/** Maximum number of processes of a search. */
const mostSearches = 8;

export interface SelfCheckTarget {
  capture: string;
  stores: readonly string[];
  /** Wave-instructions of the captured dispatch, if the device counts them. */
  waveInstructions: number | null;
  /** Time limit of a replay, if the device does not count instructions. */
  limitSeconds: number;
}

/** Runs kernloop-replay and counts the replays. */
export class Replays {
  count = 0;
  /** Memory that the dispatch overwrites without reading it, as far as replays have shown. */
  overwritten: OverwrittenRow[] = [];
  reread: Reread[] = [];
  /** Memory that the dispatch neither reads nor writes; undefined if the device cannot tell. */
  untouched: OverwrittenRow[] | undefined;

  constructor(
    readonly target: SelfCheckTarget,
    private readonly device: Device,
    private readonly deps: Deps,
  ) {}

  get isSeeded(): boolean {
    return this.device.seeded;
  }

  get adverse(): number {
    return adverseInstructions(this.target.waveInstructions);
  }

  compare(request: Partial<ReplayRequest>): Promise<ReplayOutcome> {
    this.count += request.iterations ?? 1;
    return this.replay({ ...request, compare: true });
  }

  /** Compares, and finds overwritten memory on a device that reports reads. */
  async compareAndFind(request: Partial<ReplayRequest>): Promise<ReplayOutcome> {
    const outcome = await this.compare({ ...request, findOverwritten: true });
    this.overwritten = outcome.overwritten;
    this.reread = outcome.reread;
    this.untouched = outcome.untouched;
    return outcome;
  }

  /**
   * Compares, and searches for overwritten memory on a device that does not report reads. A replay that starts from
   * other values may fault or never end; another process then continues the search.
   */
  async compareAndSearch(request: Partial<ReplayRequest>): Promise<ReplayOutcome> {
    const folder = mkdtempSync(join(tmpdir(), 'kernloop-overwritten-'));
    const file = join(folder, 'search.json');
    try {
      for (let process = 0; process < mostSearches; process += 1) {
        const outcome = await this.compare({ ...request, searchOverwritten: file });
        this.overwritten = outcome.overwritten;
        if (!isStopped(outcome) || !existsSync(file)) return outcome;
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return this.compare(request);
  }

  /** Compares, and drops from `overwritten` and `untouched` what this replay shows not to belong there. */
  compareAndWatch(request: Partial<ReplayRequest>): Promise<ReplayOutcome> {
    return this.watch((watching) => this.compare({ ...request, ...watching }));
  }

  private async watch(replay: (watching: Partial<ReplayRequest>) => Promise<ReplayOutcome>): Promise<ReplayOutcome> {
    if (this.overwritten.length === 0 && !this.untouched?.length) return replay({});
    const outcome = await this.withOverwritten(['captured'], (overwritten) =>
      replay({ findOverwritten: true, overwritten }),
    );
    if (!isStopped(outcome)) this.keep(outcome);
    return outcome;
  }

  private keep({ overwritten, untouched }: ReplayOutcome): void {
    this.overwritten = overwritten;
    this.untouched = untouched;
  }

  /**
   * Starts launches with these values in overwritten memory. If the result changes, the memory is read after all, and
   * nothing counts as overwritten.
   */
  async compareFilled(fills: readonly Fill[], request: Partial<ReplayRequest>): Promise<ReplayOutcome> {
    if (this.overwritten.length === 0) return this.isSeeded ? this.compareAndWatch(request) : this.compare(request);
    this.count += fills.length - 1;
    const outcome = await this.withOverwritten(fills, (overwritten) =>
      this.compare({ ...request, overwritten, ...(this.device.seeded ? { findOverwritten: true } : {}) }),
    );
    if (isEqual(outcome)) {
      if (this.device.seeded) this.keep(outcome);
      return outcome;
    }
    this.overwritten = [];
    return this.compare(request);
  }

  /** Replays without memory in these ranges, so that any access faults. */
  async compareWithout(dropped: readonly UnusedRange[], request: Partial<ReplayRequest>): Promise<ReplayOutcome> {
    const folder = mkdtempSync(join(tmpdir(), 'kernloop-dropped-'));
    const file = join(folder, 'dropped.json');
    try {
      writeJson(file, { dropped });
      return await this.compare({ ...request, dropped: file });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  private async withOverwritten(
    fills: readonly Fill[],
    replay: (overwritten: NonNullable<ReplayRequest['overwritten']>) => Promise<ReplayOutcome>,
  ): Promise<ReplayOutcome> {
    const folder = mkdtempSync(join(tmpdir(), 'kernloop-overwritten-'));
    const file = join(folder, 'overwritten.json');
    try {
      writeJson(file, { overwritten: this.overwritten, untouched: this.untouched });
      return await replay({ file, fills });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Calibrates; if waves follow a seed, every second replay uses the adverse order. */
  async calibrate(poison: string): Promise<ReplayOutcome> {
    const outcome = await (this.device.seeded
      ? this.watch((watching) =>
          this.replay({ calibrate: calibrationSeeds, settle: settling, poison, adverse: this.adverse, ...watching }),
        )
      : this.calibrateInProcesses(poison));
    this.count += outcome.result.replays ?? 0;
    return outcome;
  }

  /** Each process continues with the results of the earlier ones. */
  private async calibrateInProcesses(poison: string): Promise<ReplayOutcome> {
    const folder = mkdtempSync(join(tmpdir(), 'kernloop-calibration-'));
    const request = {
      calibrate: calibrationSeeds.slice(0, processes.replaysOfEach),
      poison,
      calibrationFile: join(folder, 'replays'),
    };
    const started = this.deps.clock.monotonicMs();
    try {
      for (let count = 1; ; count += 1) {
        const outcome = await this.replay(request);
        const { result, varying, unexplained } = outcome;
        const isBeyondMeasure = result.verdict === 'fail' && varying.length === 0 && unexplained.length === 0;
        const isEnough = count >= processes.least && result.is_settled !== false;
        const isLate = (this.deps.clock.monotonicMs() - started) / 1000 > processes.seconds;
        if (isStopped(outcome) || isBeyondMeasure || isEnough || isLate || count === processes.most) return outcome;
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  private replay(request: Partial<ReplayRequest>): Promise<ReplayOutcome> {
    const { capture, stores, waveInstructions, limitSeconds } = this.target;
    const limit =
      this.device.seeded && waveInstructions !== null
        ? { limitWaveInstructions: instructionLimit(waveInstructions) }
        : { limitSeconds };
    return replayWithinLimit({ capture, stores, ...limit, ...request }, this.device, this.deps);
  }
}

export function isStopped({ result }: ReplayOutcome): boolean {
  return result.verdict === 'fault' || result.verdict === 'limit';
}

export function isEqual({ result }: ReplayOutcome): boolean {
  // A kernel that changes nothing is replayed faithfully if nothing differs; only validate calls it vacuous.
  return result.verdict === 'pass' || (result.verdict === 'vacuous' && (result.differing_bytes ?? 0) === 0);
}
