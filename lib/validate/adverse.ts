import { adverseInstructions } from '../replay/adverse';
import { requestOfCaptured, type ReplaySession } from '../replay/session';
import type { Deps } from '../deps/deps';
import { describeRaces, newRaces, withoutRacesOfTheHeap } from './races';
import type { AdverseReport, Race } from './report-json';
import { passes, rank, runCase, verdictOf, type Case, type Run } from './run-case';

/** Replay in the adverse order, and its effect on the verdict. */
export interface Adverse {
  run: Run;
  /** Replays of the captured code in this order, if the variant's replay required them. */
  captured: Run[];
  /** Whether the memory result counts; it does not if the captured code fails in this order too. */
  counts: boolean;
  races: Race[];
}

/** Judges the adverse order; a variant is not blamed for what the captured code does in it too. */
export async function judgeAdverse(judged: Case, index: number, deps: Deps): Promise<Adverse> {
  const { session } = judged;
  const instructions = adverseInstructions(session.capture.execution.wave_instructions);
  const again = (of: Case, seed: number): Promise<Run> => runCase(of, seed, deps, { adverse: instructions });
  const run = await again(judged, index);
  const isRight = passes(run);
  if (isRight && run.outcome.findings.length === 0) return { run, captured: [], counts: true, races: [] };
  if (session.code.kind === 'captured') return { run, captured: [], counts: isRight, races: [] };
  const captured = { ...judged, session: { ...session, request: requestOfCaptured(session) } };
  // A race of the captured code may show in one order and not in another, so two are tried.
  const others = [await again(captured, index), await again(captured, index + 1)];
  const known = others.flatMap(({ outcome }) => outcome.findings);
  const found = newRaces(withoutRacesOfTheHeap(run.outcome.findings, session), known);
  return {
    run,
    captured: others,
    counts: isRight || others.every(passes),
    races: describeRaces(found, session),
  };
}

export function adverseReport({ run, captured }: Adverse, { capture }: ReplaySession): AdverseReport {
  const worst = captured.reduce<Run | undefined>(
    (a, b) => (a && rank(verdictOf(a)) >= rank(verdictOf(b)) ? a : b),
    undefined,
  );
  return {
    seed: run.seed ?? 0,
    verdict: run.outcome.result.verdict,
    differing_bytes: run.outcome.result.differing_bytes ?? 0,
    wave_instructions: run.outcome.adverseInstructions ?? 0,
    of_wave_instructions: run.outcome.result.wave_instructions ?? capture.execution.wave_instructions ?? null,
    findings: run.outcome.findings.length,
    captured: worst
      ? {
          verdict: worst.outcome.result.verdict,
          findings: Math.max(...captured.map((one) => one.outcome.findings.length)),
        }
      : null,
  };
}
