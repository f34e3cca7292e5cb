import type { FindingEvent } from '../replay/replay-events';
import type { Code, Reproducer } from '../reproducer/reproducer';
import type { ReplaySession } from '../replay/session';
import { sha256 } from '../support/files';
import { formatCount } from '../support/report';
import { ownLineFinder } from '../replay/own-line';
import type { Race, RaceAccess } from './report-json';
import { readRegularFile } from '../support/regular-file';

/**
 * Identity of a race: the array (all of LDS is one), whether the waves belong to one workgroup or several, the wait that
 * is missing before a barrier in between, and the cache that may hide a store. Code positions are left out, because
 * another compiler or an edit moves them.
 */
function subjectOf(finding: FindingEvent): string {
  const among = isWithinGroup(finding) ? 'within a workgroup' : 'across workgroups';
  return `${placeOf(finding)} ${among} ${finding.missing_wait ?? ''} ${finding.stale_cache ?? ''}`;
}

/** One race for each subject that the captured code does not have. */
export function newRaces(found: readonly FindingEvent[], captured: readonly FindingEvent[]): FindingEvent[] {
  const known = new Set(captured.map(subjectOf));
  return found.filter((finding) => {
    const subject = subjectOf(finding);
    if (known.has(subject)) return false;
    known.add(subject);
    return true;
  });
}

/**
 * Drops races within the device heap's own data: ROCm's library initialises its slabs with plain stores. That code does
 * not touch what a variant stores in memory that it allocates.
 */
export function withoutRacesOfTheHeap(
  findings: readonly FindingEvent[],
  { code, facts }: Pick<ReplaySession, 'code' | 'facts'>,
): FindingEvent[] {
  if (code.kind !== 'variant' || findings.length === 0) return [...findings];
  const heap = facts?.amd?.device_heap ?? [];
  const isInHeap = ({ code_object: codeObject, offset }: Placed): boolean =>
    codeObject === code.sha256 &&
    offset !== undefined &&
    heap.some(({ begin, end }) => Number(offset) >= begin && Number(offset) < end);
  return findings.filter(
    (finding) =>
      placeOf(finding) !== otherMemory || !isInHeap(finding) || finding.other === undefined || !isInHeap(finding.other),
  );
}

export function describeRaces(findings: readonly FindingEvent[], { code, reproducer, capture }: ReplaySession): Race[] {
  const line = lineFinder(code, reproducer);
  const access = (event: FindingEvent | NonNullable<FindingEvent['other']>): RaceAccess => ({
    access: event.access,
    pc_offset: event.pc_offset,
    instruction: event.instruction,
    source: line(event),
    workgroup: event.workgroup,
    wave: event.wave,
  });
  return findings.map((finding) => {
    const { in_lds: inLds, region, variable, offset_in_target: offset, address, bytes, other, text } = finding;
    const { missing_wait: missing, stale_cache: cache } = finding;
    return {
      kernel: capture.kernel.name,
      where: inLds ? 'LDS' : (region ?? variable ?? null),
      offset: inLds ? Number(address) : (offset ?? null),
      address,
      bytes,
      accesses: [access(finding), ...(other ? [access(other)] : [])],
      ...(missing === undefined ? {} : { missing_wait: missing }),
      ...(cache === undefined ? {} : { stale_cache: cache }),
      text,
    };
  });
}

/** Lines printed before everything else about a dispatch. */
export function raceLines(races: readonly Race[]): string[] {
  return races.flatMap((race) => [
    `race in ${race.kernel}: ${placeText(race)}, which the captured code does not have`,
    ...race.accesses.map(accessText),
    ...reasonLines(race),
  ]);
}

function reasonLines({ missing_wait: missing, stale_cache: cache }: Race): string[] {
  if (missing !== undefined)
    return [`  the barrier in between does not order the two: \`${missing}\` is missing before it`];
  if (cache === undefined) return [];
  return [
    `  the load waits in a loop, and the ${cache} may answer it with the value before the store for ever: load in the scope of the device (__HIP_MEMORY_SCOPE_AGENT, or volatile)`,
  ];
}

/** First line of the failure's explanation. */
export function summaryOfRaces(first: Race, count: number): string {
  const others = count > 1 ? `, and ${formatCount(count - 1)} more` : '';
  return `a race that the captured code does not have, at ${placeText(first)}${reasonOf(first)}${others}`;
}

function reasonOf({ missing_wait: missing, stale_cache: cache }: Race): string {
  if (missing !== undefined) return `: \`${missing}\` is missing before a barrier`;
  return cache === undefined ? '' : `: a load that waits may find the old value in the ${cache} for ever`;
}

function placeText({ where, offset, address }: Race): string {
  return where === null ? `address ${address}` : `${where} at offset ${formatCount(offset ?? 0)}`;
}

function accessText({ access, source, pc_offset: pc, instruction, workgroup, wave }: RaceAccess): string {
  const did = access === 'write' ? 'writes' : 'reads';
  return `  wave ${wave} of workgroup (${workgroup.join(', ')}) ${did} at ${source ? `${source}, ` : ''}entry +${pc}: ${instruction}`;
}

const otherMemory = 'other memory';

const placeOf = ({ in_lds: inLds, region, variable }: FindingEvent): string =>
  inLds ? 'LDS' : (region ?? variable ?? otherMemory);

const isWithinGroup = ({ workgroup, other }: FindingEvent): boolean =>
  other !== undefined && String(other.workgroup) === String(workgroup);

type Placed = Pick<FindingEvent, 'code_object' | 'offset'>;

/** Finds file and line in the variant's code, if it has line information. */
export function lineFinder(code: Code, reproducer: Reproducer): (access: Placed) => string | null {
  if (code.kind !== 'variant') return () => null;
  const bytes = readRegularFile(code.path);
  const digest = sha256(bytes);
  const lineAt = ownLineFinder(bytes, reproducer);
  return ({ code_object: codeObject, offset }) => {
    const place = codeObject === digest && offset !== undefined ? lineAt(Number(offset)) : null;
    return place === null ? null : `${place.file}:${place.line}`;
  };
}
