import type { Deps } from '../deps/deps';
import { requestOfCaptured } from '../replay/session';
import { formatCount } from '../support/report';
import type { FloatAtomicReport } from './report-json';
import { runCase, type Case, type Run } from './run-case';

/**
 * Regions in which the variant uses floating-point atomics that do, or may do, nothing on the real GPU. Regions in
 * which the captured code has some too are left out, because a variant is not blamed for what the app does.
 */
export async function floatAtomicsOf(judged: Case, runs: readonly Run[], deps: Deps): Promise<FloatAtomicReport[]> {
  const { session } = judged;
  const found = new Map<string, FloatAtomicReport>();
  for (const { event: _event, ...atomic } of runs.flatMap(({ outcome }) => outcome.floatAtomics)) {
    const { region, offset_in_target: offset, address, bytes, instruction, effect } = atomic;
    if (!found.has(region)) found.set(region, { region, offset, address, bytes, instruction, effect });
  }
  if (found.size === 0 || session.code.kind === 'captured') return [];
  const captured = await runCase({ ...judged, session: { ...session, request: requestOfCaptured(session) } }, 0, deps);
  for (const { region } of captured.outcome.floatAtomics) found.delete(region);
  return [...found.values()];
}

export const droppedOf = (atomics: readonly FloatAtomicReport[] = []): FloatAtomicReport[] =>
  atomics.filter(({ effect }) => effect === 'none');

/** First line of the failure's explanation. */
export function summaryOfDropped(dropped: readonly FloatAtomicReport[]): string {
  const [first] = dropped;
  const more = dropped.length > 1 ? `, and in ${formatCount(dropped.length - 1)} more` : '';
  return `\`${first?.instruction ?? '?'}\` at ${first?.region ?? '?'} at offset ${formatCount(first?.offset ?? 0)}${more}: this GPU leaves out floating-point atomics on fine-grained memory, without an error, and the captured code has none there`;
}

/** Text printed beside the verdict. */
export function floatAtomicWords(atomics: readonly FloatAtomicReport[] = []): string[] {
  return atomics.flatMap(({ effect, instruction, region }) =>
    effect === 'none'
      ? []
      : [
          `NOT judged: whether \`${instruction}\` at ${region} takes effect: it does nothing on this GPU if the memory is fine-grained, which the capture does not tell`,
        ],
  );
}
