import { arraysIn, faultWords, isThroughNull, placeOfWave } from './fault-words';
import { isOfSource, sourceOfFault } from './fault-source';
import { SourceFiles } from './source-files';
import type { ReplaySession } from './session';

type FaultSession = Pick<ReplaySession, 'reproducer' | 'capture' | 'code' | 'facts'>;

/** Lines before the one that sums up a fault: the wave that executed the instruction, and the next step. */
export function faultLines(fault: string, session: FaultSession): string[] {
  const wave = placeOfWave(fault);
  return [...(wave === null ? [] : [`faulted in ${wave}`]), ...nextStep(fault, session)];
}

/** Text with a fault, in the words of `faultWords`, which read the line of the access. */
export function faultSummary(text: string, session: FaultSession): string {
  const source = sourceOfFault(text, session);
  return faultWords(text, session, source && new SourceFiles(session.reproducer).line(source.file, source.line));
}

/** Nothing for code that is no build of a source here, and for faults of another kind than an access. */
export function nextStep(fault: string, session: FaultSession): string[] {
  if (fault.includes('dropped by --shrink'))
    return ['next: extract the kernel again without --shrink, which dropped the memory that this code touches'];
  if (!isOfSource(session.code, session.reproducer) || !/: (?:read|write) of \d+ bytes? at /.test(fault)) return [];
  const source = sourceOfFault(fault, session);
  // Inlined functions of headers, such as atomicAdd, have lines of their own.
  if (source === null) {
    if (isThroughNull(fault)) return ['next: find out which pointer of the edit is null, then run the command again'];
    return ['next: keep what the edit accesses inside of its arrays, then run the command again'];
  }
  const text = new SourceFiles(session.reproducer).line(source.file, source.line);
  const what = text === null ? 'the access' : `the access in \`${text}\``;
  if (isThroughNull(fault)) return [`next: find out why the pointer of ${what} is null, then run the command again`];
  const [, near] = /\b(?:bytes? (?:behind|before)|just behind) (\S.*?) \(/.exec(faultWords(fault, session, text)) ?? [];
  const [used, ...others] = text === null ? [] : arraysIn(text, session);
  const array = near ?? (others.length === 0 ? used : undefined);
  const inside = array === undefined || array.startsWith('region ') ? 'its array' : array;
  return [`next: keep ${what} inside of ${inside}, then run the command again`];
}
