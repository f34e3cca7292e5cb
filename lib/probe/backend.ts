import type { Deps } from '../deps/deps';
import type { Judged } from '../replay/judged';
import type { ReplaySession } from '../replay/session';
import type { Level } from '../trace/probe-file';
import type { ProbeSet } from './probe-set';

/** A device that can run probes: the software GPU, whose engine calls them, or CUDA, where the PTX is rewritten. */
export interface ProbeBackend {
  /**
   * Throws PROBE_UNSUPPORTED, before anything runs, if these probes cannot run on this kernel. The result names what is
   * left out without an error.
   */
  check(session: ReplaySession, probes: ProbeSet, deps: Deps): void | Promise<void>;
  /** Replays once from restored memory and returns what the probes wrote. A fault or a limit is an outcome. */
  run(request: ProbeRun, deps: Deps): Promise<ProbedLaunch>;
}

export interface ProbeRun {
  readonly session: ReplaySession;
  readonly probes: ProbeSet;
  /** `count` only counts the records of each unit in dynamic maps; it runs only if a map is dynamic. */
  readonly pass: 'count' | 'trace';
  /** Capacity in records of each thread or warp, by map; 0 for dynamic maps in a counting pass. */
  readonly capacity: ReadonlyMap<string, number>;
  /** Empty folder that this run alone uses. */
  readonly folder: string;
  /** Host threads of the software GPU. */
  readonly threads?: number | undefined;
  readonly seed?: number | undefined;
}

/** Launch judged against what the app computed, as without probes: the maps are not judged. */
export interface ProbedLaunch extends Judged {
  readonly warpSize: 32 | 64;
  /** Maps in the order of the probe file; empty after a fault or a limit. */
  readonly maps: readonly ProbedMap[];
  /** Registers before and after, if code was rewritten. */
  readonly code: { readonly registersBefore: number; readonly registersAfter: number } | null;
  /** Files for `kernel/<index>_<sha1>/` of the trace folder: original.ptx, probed.ptx, process.log and so on. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly waveInstructions: number | null;
  readonly milliseconds: number | null;
  /** Sentences that each name something these probes do not see. */
  readonly leftOut: readonly string[];
}

export interface ProbedMap {
  readonly name: string;
  readonly level: Level;
  /** File of records, at (block * units of a block + unit) * unitBytes as in Neutrino; partial warps have a place. */
  readonly path: string;
  readonly unitBytes: number;
  /** File of one u32 per unit, in the same order: records wanted, kept or not; saturated at 2^32 - 1. */
  readonly countsPath: string;
  readonly kept: number;
  readonly dropped: number;
}
