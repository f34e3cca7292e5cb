import type { Deps } from '../deps/deps';
import { faultSummary, nextStep } from '../replay/fault-lines';
import { sourceOfFault } from '../replay/fault-source';
import { describeFault } from '../replay/fault-text';
import { replayOnce, type ReplayOutcome, type ReplayRequest } from '../replay/program';
import { requestOfCaptured, type ReplaySession } from '../replay/session';
import type { OutsideAccess } from './report-json';

/** An access of the variant outside of captured memory, and a replay without the guard, which the access has ended. */
export interface Guarded {
  readonly outcome: ReplayOutcome;
  readonly outside: OutsideAccess | null;
}

/**
 * Replays with memory around the captured regions closed. Behind an array that does not end with a page, an access
 * otherwise goes unnoticed, and on hardware it may fault. Null for what the captured code does, too.
 */
export async function replayGuarded(session: ReplaySession, request: ReplayRequest, deps: Deps): Promise<Guarded> {
  const { device } = session;
  const guarded = await replayOnce({ ...request, guard: true }, device, deps);
  if (guarded.result.verdict === 'ran' || request.guard === true) return { outcome: guarded, outside: null };
  const outcome = await replayOnce(request, device, deps);
  const [fault] = guarded.faults;
  if (guarded.result.verdict !== 'fault' || fault === undefined || outcome.result.verdict !== 'ran')
    return { outcome, outside: null };
  const captured = requestOfCaptured({ request });
  const { result } = await replayOnce({ ...captured, guard: true }, device, deps);
  return { outcome, outside: result.verdict === 'ran' ? accessOf(describeFault(fault), session) : null };
}

function accessOf(fault: string, session: ReplaySession): OutsideAccess | null {
  // The guard closes memory; a fault of another kind has another cause.
  if (!/: (?:read|write) of \d+ bytes? at /.test(fault)) return null;
  const source = sourceOfFault(fault, session);
  const [next] = nextStep(fault, session);
  return {
    dispatch: session.dispatch.dispatch,
    fault,
    access: faultSummary(fault, session),
    source: source === null ? null : `${source.file}:${source.line}`,
    next: next ?? null,
  };
}
