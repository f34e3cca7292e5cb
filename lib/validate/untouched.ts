import { requestOfCaptured } from '../replay/session';
import type { Deps } from '../deps/deps';
import { passes, runCase, type Case, type Run } from './run-case';

/**
 * With other values where the captured code touches nothing: a variant may neither write there nor depend on what it reads. A variable's
 * source says what it holds, so that reads of variables are not held against it; which of the two it was, a further replay tells. Nor is
 * anything that the captured code itself does not withstand.
 */
export async function runDisturbed(judged: Case, index: number, deps: Deps): Promise<Run> {
  const { session, mayReadUntouched } = judged;
  const usual = (): Promise<Run> => runCase(judged, index, deps);
  const all = await runCase(judged, index, deps, { disturbed: 'all' });
  if (passes(all)) return all;
  if (session.code.kind === 'captured') return usual();
  if (isAstray(all)) return (await capturedWithstands(judged, index, deps)) ? all : usual();
  if (!session.device.seeded) return usual();
  const used = await runCase(judged, index, deps, { disturbed: 'used' });
  if (!used.outcome.result.disturbed) return used;
  if (!isAstray(used) && mayReadUntouched) return { ...(await usual()), untouchedReads: used.outcome.untouchedReads };
  if (!(await capturedWithstands(judged, index, deps))) return usual();
  return isAstray(used) ? used : { ...used, untouchedReads: used.outcome.untouchedReads };
}

const isAstray = ({ outcome: { result } }: Run): boolean => !!result.stray_bytes;

async function capturedWithstands(judged: Case, index: number, deps: Deps): Promise<boolean> {
  const captured = { ...judged, session: { ...judged.session, request: requestOfCaptured(judged.session) } };
  return passes(await runCase(captured, index, deps, { disturbed: 'all' }));
}
