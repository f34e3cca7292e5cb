import type { ReplayOutcome } from '../replay/program';
import type { ComparedEvent, ToleranceEvent } from '../replay/replay-events';
import type { CaptureJson } from '../archive/capture-files';
import type { KernelJson } from '../reproducer/kernel-json';
import { claimsOn, overlap, type Place } from '../reproducer/signature';
import type { ComparedRegion } from './report-json';
import { worstOf } from './tolerance';

/** Limits the report if very many regions differ. */
const mostMaps = 64;

/** Region id such as "r0", or name of a module variable. */
export const nameOf = ({ region, variable }: Pick<ComparedEvent, 'region' | 'variable'>): string =>
  region ?? variable ?? '?';

/** A row for each region and variable that the kernel changed or that differs in a replay; the worst replay's. */
export function comparedRegions(
  outcomes: readonly Pick<ReplayOutcome, 'compared' | 'tolerances'>[],
  argumentsAt: (place: Place) => string[] = () => [],
): ComparedRegion[] {
  const rows = new Map<string, ComparedEvent>();
  for (const row of outcomes.flatMap(({ compared }) => compared)) {
    const before = rows.get(nameOf(row));
    rows.set(nameOf(row), before ? worse(before, row) : row);
  }
  const met = worstOf(outcomes.flatMap(({ tolerances }) => tolerances));
  const elementsOf = (row: ComparedEvent): ToleranceEvent[] => met.filter((part) => nameOf(part) === nameOf(row));
  const mapped = new Set([...rows.values()].filter(({ difference_map: map }) => map !== undefined).slice(0, mostMaps));
  return [...rows.values()]
    .filter((row) => row.changed || row.differing_bytes > 0 || elementsOf(row).length > 0)
    .map((row) => {
      const { event: _event, difference_map: map, ...kept } = row;
      const elements = elementsOf(row).map((part) => {
        const names = argumentsAt({ target: nameOf(row), offset: part.offset, size: part.bytes });
        return { ...withoutPlace(part), ...(names.length === 0 ? {} : { arguments: names }) };
      });
      return { ...kept, ...(map && mapped.has(row) ? { difference_map: map } : {}), elements };
    });
}

/** Names of the parameters whose arrays contain the place; none if the source is unknown. */
export function argumentNames(config: KernelJson, capture: CaptureJson): (place: Place) => string[] {
  return (place) => {
    const region = capture.regions.find(({ id }) => id === place.target);
    if (!region) return [];
    const claims = claimsOn({ ...region, base: BigInt(region.base) }, config, capture);
    return claims
      .filter((claim) => overlap(claim, place))
      .flatMap(({ parameters }) => parameters.flatMap(({ name }) => name ?? []));
  };
}

function worse(a: ComparedEvent, b: ComparedEvent): ComparedEvent {
  const firsts = [a.first_difference, b.first_difference].filter((offset) => typeof offset === 'number');
  return {
    ...a,
    varying_bytes: Math.max(a.varying_bytes, b.varying_bytes),
    differing_bytes: Math.max(a.differing_bytes, b.differing_bytes),
    ...(b.differing_bytes > a.differing_bytes ? { difference_map: b.difference_map } : {}),
    ...(firsts.length > 0 ? { first_difference: Math.min(...firsts) } : {}),
  };
}

function withoutPlace({
  event: _event,
  region: _region,
  variable: _variable,
  ...met
}: ToleranceEvent): ComparedRegion['elements'][number] {
  return met;
}
