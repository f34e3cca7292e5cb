import type { Deps } from '../deps/deps';
import { requestOfCaptured } from '../replay/session';
import { formatCount } from '../support/report';
import { lineFinder } from './races';
import type { PastLdsReport } from './report-json';
import { runCase, type Case, type Run } from './run-case';

/**
 * Instructions that access LDS past its end. Hardware continues with 0 or unwritten data, which changes with the other
 * workgroups on the machine: a variant must not do it where the captured code does not.
 */
export async function pastLdsOf(judged: Case, runs: readonly Run[], deps: Deps): Promise<PastLdsReport[]> {
  const { session } = judged;
  const found = runs.flatMap(({ outcome }) => outcome.pastLds);
  if (found.length === 0) return [];
  const isCaptured = session.code.kind === 'captured';
  const captured = isCaptured
    ? found
    : (await runCase({ ...judged, session: { ...session, request: requestOfCaptured(session) } }, 0, deps)).outcome
        .pastLds;
  // Compares by kind of access, because another compiler moves instructions.
  const known = new Set(captured.map(({ access }) => access));
  const line = lineFinder(session.code, session.reproducer);
  const places = new Map(found.map((event) => [event.pc_offset, event]));
  return [...places.values()].map((event) => ({
    access: event.access,
    instruction: event.instruction,
    pc_offset: event.pc_offset,
    source: line(event),
    lds_offset: Number(event.address),
    bytes: event.bytes,
    text: event.text,
    in_captured: known.has(event.access),
  }));
}

/** Accesses that the captured code does not make. */
export const newPastLds = (all: readonly PastLdsReport[] = []): PastLdsReport[] =>
  all.filter(({ in_captured: isKnown }) => !isKnown);

/** First line of the failure's explanation. */
export function summaryOfPastLds(fresh: readonly PastLdsReport[]): string {
  const [first] = fresh;
  const more = fresh.length > 1 ? `, and ${formatCount(fresh.length - 1)} more` : '';
  const place = first?.source ? `${first.source}, ` : '';
  return `${verbOf(first)} past the end of LDS at ${place}entry +${first?.pc_offset ?? '?'}: \`${first?.instruction ?? '?'}\` at offset ${formatCount(first?.lds_offset ?? 0)}${more}, which the captured code does not`;
}

/** Text printed beside the verdict. */
export function pastLdsWords(all: readonly PastLdsReport[] = []): string[] {
  const known = [...new Set(all.filter(({ in_captured: isKnown }) => isKnown).map(verbOf))];
  return known.map(
    (verb) => `it ${verb} past the end of LDS, as the captured code does: hardware goes on there, and so did this`,
  );
}

const verbOf = (one?: Pick<PastLdsReport, 'access'>): string => (one?.access === 'write' ? 'writes' : 'reads');
