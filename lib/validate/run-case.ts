import { isJudgedByRanges, selfcheckFile, type Selfcheck } from '../archive/capture-files';
import type { Disturbed, Fill, RecordLength, ReplayOutcome, ReplayRequest } from '../replay/program';
import type { UntouchedRead } from '../replay/replay-events';
import type { ReplaySession } from '../replay/session';
import { replayWithinLimit } from '../replay/within-limit';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { fillsOfAdverse } from './fills';
import type { NamedDerivation } from './input-records';
import type { Verdict } from './report-json';
import type { IgnoredRange } from '../reproducer/roles';
import type { ElementPlan } from './tolerance';

/** A captured dispatch, and how memory is judged after its replays. */
export interface Case {
  session: ReplaySession;
  selfcheck: Selfcheck;
  /** Digest of the self-check, and whether its seal proves that it was not edited. */
  proof: { sha256: string; isSealed: boolean };
  ignored: IgnoredRange[];
  plan: ElementPlan;
  records: RecordLength[];
  /** Number of usual replays. */
  replays: number;
  /** Whether one more replay is in the adverse order. */
  adverse: boolean;
  /** Number of replays with delays. */
  delays: number;
  /** Other inputs to judge right code on; null if none were requested. */
  derivation: NamedDerivation | null;
  /** Result of fillsOf(). */
  fills: readonly (readonly Fill[])[];
  /** Option --may-read-untouched. */
  mayReadUntouched?: boolean;
  /** Whether the captured code itself failed under the fills. */
  refuted?: boolean;
}

/** A replay of a case. */
export interface Run {
  poison: string;
  seed: number | null;
  outcome: ReplayOutcome;
  /** Blocks of 0 that the captured code does not touch and the result depends on. */
  untouchedReads?: UntouchedRead[];
}

const poisons = ['0xA5', '0x5A'] as const;
/** Only with this pattern are unwritten LDS, private memory and registers 0 on the software GPU. */
export const zeros = '0x99';

/**
 * `adverse`: number of wave-instructions in the adverse order. `disturbed`: which untouched memory starts with other
 * values. `isRepeated`: all launches start with the same content. `machineInUse`: seed of an additional launch on a
 * machine in use.
 */
export async function runCase(
  { session, selfcheck, ignored, plan, records, fills }: Case,
  index: number,
  deps: Deps,
  {
    adverse,
    disturbed,
    isRepeated = false,
    machineInUse,
  }: { adverse?: number; disturbed?: Disturbed; isRepeated?: boolean; machineInUse?: number } = {},
): Promise<Run> {
  const poison = adverse === undefined ? (poisons[index % poisons.length] ?? poisons[0]) : zeros;
  const seed = session.device.seeded ? index + 1 : null;
  const launches =
    (fills.length > 0 && adverse !== undefined ? fillsOfAdverse : fills[index % fills.length]) ??
    (disturbed ? ['captured' as const] : undefined);
  const request: ReplayRequest = {
    ...session.request,
    ignore: ignored,
    elements: plan.elements,
    ...(isJudgedByRanges(selfcheck) ? { varying: selfcheckFile(session.reproducer.capture), records } : {}),
    ...(launches
      ? {
          overwritten: {
            file: selfcheckFile(session.reproducer.capture),
            fills: isRepeated ? launches.slice(-1) : launches,
          },
        }
      : {}),
    ...(disturbed ? { disturbUntouched: disturbed } : {}),
    ...(seed === null ? {} : { seed }),
    ...(adverse === undefined ? {} : { adverse }),
    ...(machineInUse === undefined ? {} : { machineInUse }),
    compare: true,
    poison,
  };
  return { poison, seed, outcome: await replayWithinLimit(request, session.device, deps) };
}

export const passes = (run: Run): boolean => verdictOf(run) === 'pass' || verdictOf(run) === 'vacuous';

/** "ran" means that nothing was compared, which is never a pass. */
export function verdictOf({ outcome: { result } }: Run): Verdict {
  if (result.verdict === 'vacuous' && (result.differing_bytes ?? 0) > 0) return 'fail';
  if (result.verdict !== 'ran' && !(result.verdict === 'pass' && !result.compared_bytes)) return result.verdict;
  throw new KernloopError(
    'NATIVE_FAILED',
    'kernloop-replay compared nothing',
    'install kernloop once more (in a checkout: `npm run build:native`); if it stays, report it',
  );
}

const severity: readonly Verdict[] = ['pass', 'vacuous', 'fail', 'limit', 'fault'];
/** Severity of a verdict: the highest of several counts. */
export const rank = (verdict: Verdict): number => severity.indexOf(verdict);
