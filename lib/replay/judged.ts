import { describeFault } from './fault-text';
import type { ReplayOutcome } from './program';
import type { ResultEvent } from './replay-events';

/** Judgement of the kernel itself in a replay with a lens or probes. */
export interface Judged {
  /** "ran" means that nothing was compared. After a fault or a limit nothing is read back. */
  verdict: ResultEvent['verdict'];
  reason: string | null;
  fault: string | null;
  comparedBytes: number;
  differingBytes: number;
}

export function judgedBy({ result, faults }: Pick<ReplayOutcome, 'result' | 'faults'>): Judged {
  return {
    verdict: result.verdict,
    reason: result.reason ?? null,
    fault: faults[0] ? describeFault(faults[0]) : null,
    comparedBytes: result.compared_bytes ?? 0,
    differingBytes: result.differing_bytes ?? 0,
  };
}
