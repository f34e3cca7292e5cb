import type { Deps } from '../deps/deps';
import type { Judged } from '../replay/judged';
import type { ReplaySession } from '../replay/session';
import type { Level } from '../trace/probe-file';
import type { ProbeSet } from './probe-set';

/** One kind of device that can run probes: the software GPU, where the engine calls them, or CUDA, where PTX is rewritten. */
export interface ProbeBackend {
  /**
   * Why these probes cannot run on this kernel, before anything does: a thrown PROBE_UNSUPPORTED that names what it is about. What it
   * leaves out without an error it says in the result.
   */
  check(session: ReplaySession, probes: ProbeSet, deps: Deps): void | Promise<void>;
  /** Replays the dispatch once from restored memory, and hands back what the probes left. A fault or a limit is an outcome. */
  run(request: ProbeRun, deps: Deps): Promise<ProbedLaunch>;
}

export interface ProbeRun {
  readonly session: ReplaySession;
  readonly probes: ProbeSet;
  /** `count`: how many records each unit has; nothing is kept of maps without room. Only where a map is dynamic. */
  readonly pass: 'count' | 'trace';
  /** Records that each thread or warp has room for, by map; 0 for dynamic ones in a counting pass. */
  readonly capacity: ReadonlyMap<string, number>;
  /** Empty, for this run alone. */
  readonly folder: string;
  /** Of the software GPU. */
  readonly threads?: number | undefined;
  readonly seed?: number | undefined;
}

/** Judged against what the app computed, the maps left out: as it is without probes. */
export interface ProbedLaunch extends Judged {
  readonly warpSize: 32 | 64;
  /** In the order of the probe file; none after a fault or a limit. */
  readonly maps: readonly ProbedMap[];
  /** What the kernel became, where code is rewritten. */
  readonly code: { readonly registersBefore: number; readonly registersAfter: number } | null;
  /** For `kernel/<index>_<sha1>/` of the trace folder: original.ptx, probed.ptx, process.log and so on. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly waveInstructions: number | null;
  readonly milliseconds: number | null;
  /** What the probes do not see here, each in a sentence. */
  readonly leftOut: readonly string[];
}

export interface ProbedMap {
  readonly name: string;
  readonly level: Level;
  /** (block * units of a block + unit) * unitBytes, as Neutrino has it; partial warps have a place. */
  readonly path: string;
  readonly unitBytes: number;
  /** A u32 a unit, in the same order: records that it had, kept or not; 2^32 - 1 where there were more. */
  readonly countsPath: string;
  readonly kept: number;
  readonly dropped: number;
}
