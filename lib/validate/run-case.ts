import { isJudgedByRanges, selfcheckFile, type Selfcheck } from '../archive/capture-files';
import type { Disturbed, Fill, RecordLength, ReplayOutcome, ReplayRequest } from '../replay/program';
import type { UntouchedRead } from '../replay/replay-events';
import type { ReplaySession } from '../replay/session';
import { replayWithinLimit } from '../replay/within-limit';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { fillsOfAdverse } from './fills';
import type { Verdict } from './report-json';
import type { IgnoredRange } from '../reproducer/roles';
import type { ElementPlan } from './tolerance';

/** A captured dispatch, and how what the replays leave in memory is judged. */
export interface Case {
  session: ReplaySession;
  selfcheck: Selfcheck;
  /** Which one it is, and whether it is known that nobody edited it. */
  proof: { sha256: string; isSealed: boolean };
  ignored: IgnoredRange[];
  plan: ElementPlan;
  records: RecordLength[];
  /** fillsOf() */
  fills: readonly (readonly Fill[])[];
  /** --may-read-untouched */
  mayReadUntouched?: boolean;
  /** The captured code did not withstand them after all. */
  refuted?: boolean;
}

/** One replay of it. */
export interface Run {
  poison: string;
  seed: number | null;
  outcome: ReplayOutcome;
  /** Blocks of 0 on which the result depends, and which the captured code does not touch. */
  untouchedReads?: UntouchedRead[];
}

const poisons = ['0xA5', '0x5A'] as const;
/** LDS, private memory and registers that nobody wrote are then 0 on the software GPU, which they are under none of the others. */
const zeros = '0x99';

/**
 * `adverse`: so many wave-instructions in the adverse order. `disturbed`: what of the untouched launches begin with other values in. `isRepeated`: all
 * launches of the request begin with the same. `machineInUse`: seed of a further launch there.
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
/** Which of two verdicts counts, where there are several. */
export const rank = (verdict: Verdict): number => severity.indexOf(verdict);
