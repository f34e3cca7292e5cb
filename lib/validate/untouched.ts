import { requestOfCaptured } from '../replay/session';
import type { Deps } from '../deps/deps';
import type { Disturbed } from '../replay/program';
import { argumentNames } from './regions';
import { passes, runCase, type Case, type Run } from './run-case';

/**
 * Launches with other values in memory that the captured code does not touch. The variant must not write there, and its
 * result must not depend on blocks there that are entirely 0, which the app usually never wrote. It may depend on
 * values that the app put there: then only the bytes that the variant writes are changed. The variant is not blamed for
 * anything that the captured code does too.
 */
export async function runDisturbed(judged: Case, index: number, deps: Deps): Promise<Run> {
  const { session } = judged;
  const launch = (disturbed?: Disturbed): Promise<Run> => runCase(judged, index, deps, { disturbed });
  /** Whether the failure counts against the variant. */
  const holds = async (disturbed: Disturbed): Promise<boolean> =>
    session.code.kind !== 'captured' && (await capturedWithstands(judged, index, deps, disturbed));

  const all = await launch('all');
  if (passes(all)) return all;
  if (isAstray(all)) return (await holds('all')) ? all : launch();
  if (!session.device.seeded) return launch();
  const zeros = await launch('zeros');
  const depends = !!zeros.outcome.result.disturbed && !passes(zeros);
  const untouchedReads = depends ? readsOf(zeros, judged) : [];
  if (depends && !judged.mayReadUntouched && (await holds('all'))) return { ...zeros, untouchedReads };
  const written = await launch('written');
  const judgement = passes(written) || (isAstray(written) && (await holds('written'))) ? written : await launch();
  return judged.mayReadUntouched && depends ? { ...judgement, untouchedReads } : judgement;
}

const isAstray = ({ outcome: { result } }: Run): boolean => !!result.stray_bytes;

function readsOf(run: Run, { session }: Case): NonNullable<Run['untouchedReads']> {
  const argumentsAt = argumentNames(session.reproducer.config, session.capture);
  return run.outcome.untouchedReads.map((read) => ({
    ...read,
    arguments: argumentsAt({ target: read.region, offset: read.offset, size: read.bytes }),
  }));
}

async function capturedWithstands(judged: Case, index: number, deps: Deps, disturbed: Disturbed): Promise<boolean> {
  const captured = { ...judged, session: { ...judged.session, request: requestOfCaptured(judged.session) } };
  return passes(await runCase(captured, index, deps, { disturbed }));
}
