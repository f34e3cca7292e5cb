import type { ReplayOutcome } from '../replay/program';
import type { ComparedEvent, ToleranceEvent } from '../replay/replay-events';
import type { CaptureJson } from '../archive/capture-files';
import type { KernelJson } from '../reproducer/kernel-json';
import { claimsOn, overlap, type Place } from '../reproducer/signature';
import type { ComparedRegion } from './report-json';

/** Limits the report if very many regions differ. */
const mostMaps = 64;

/** Region id such as "r0", or name of a module variable. */
export const nameOf = ({ region, variable }: Pick<ComparedEvent, 'region' | 'variable'>): string =>
  region ?? variable ?? '?';

/** Comparisons of one replay. */
type Replayed = Pick<ReplayOutcome, 'compared' | 'tolerances'> & {
  /** Number of the replay; missing if there is only one. */
  replay?: number;
  /** Fill that its failed launch began with. */
  fill?: string;
};

type OfReplay<Event> = Event & Pick<Replayed, 'replay' | 'fill'>;

/**
 * A row for each region and variable that the kernel changed or that differs in a replay. A row is of one replay: the
 * first one, which the verdict is of, or the one with most differences if it has none.
 */
export function comparedRegions(
  replays: readonly Replayed[],
  argumentsAt: (place: Place) => string[] = () => [],
): ComparedRegion[] {
  const rows = byPlace(replays, ({ compared }) => compared, nameOf).map((same) =>
    chosen(same, ({ differing_bytes: bytes }) => bytes),
  );
  const parts = byPlace(
    replays,
    ({ tolerances }) => tolerances,
    (part) => `${nameOf(part)}:${part.offset}`,
  );
  const mapped = new Set(rows.filter(({ difference_map: map }) => map !== undefined).slice(0, mostMaps));
  return rows.flatMap((row) => {
    const own = parts.filter(([part]) => part !== undefined && nameOf(part) === nameOf(row));
    if (!row.changed && row.differing_bytes === 0 && own.length === 0) return [];
    const { event: _event, difference_map: map, replay: _replay, fill: _fill, ...kept } = row;
    const elements = own.map((same) => {
      const part = chosen(same, ({ outside }) => outside);
      const names = argumentsAt({ target: nameOf(row), offset: part.offset, size: part.bytes });
      return { ...withoutPlace(part), ...beside(part, same), ...(names.length === 0 ? {} : { arguments: names }) };
    });
    return [{ ...kept, ...(map && mapped.has(row) ? { difference_map: map } : {}), elements }];
  });
}

/** Events of all replays about the same place, in the order of the replays. */
function byPlace<Event>(
  replays: readonly Replayed[],
  eventsOf: (replayed: Replayed) => readonly Event[],
  keyOf: (event: Event) => string,
): OfReplay<Event>[][] {
  const places = new Map<string, OfReplay<Event>[]>();
  for (const one of replays) {
    const { replay, fill } = one;
    const of = { ...(replay === undefined ? {} : { replay }), ...(fill === undefined ? {} : { fill }) };
    for (const event of eventsOf(one)) {
      const same = places.get(keyOf(event)) ?? [];
      same.push({ ...event, ...of });
      places.set(keyOf(event), same);
    }
  }
  return [...places.values()];
}

/** The first event if anything in it is wrong, else the one with most that is wrong, or that differs. */
function chosen<Event extends ComparedEvent | ToleranceEvent>(
  same: readonly OfReplay<Event>[],
  wrongIn: (event: Event) => number,
): OfReplay<Event> {
  const differs = (event: ComparedEvent | ToleranceEvent): number =>
    event.event === 'tolerance' ? event.elements - event.equal : event.differing_bytes;
  const more = (a: OfReplay<Event>, b: OfReplay<Event>): boolean =>
    wrongIn(b) > wrongIn(a) || (wrongIn(b) === wrongIn(a) && differs(b) > differs(a));
  const [first] = same;
  return first && wrongIn(first) > 0 ? first : same.reduce((a, b) => (more(a, b) ? b : a));
}

type Met = OfReplay<ToleranceEvent>;

/** The most of all replays, if another one has more than the row; the fill, if only replays that began with one do. */
function beside(part: Met, same: readonly Met[]): Pick<ComparedRegion['elements'][number], 'in_any_replay'> {
  const worse = same.filter((other) => exceeds(other, part));
  if (worse.length === 0) return {};
  const all = [part, ...worse];
  const most = (of: (met: Met) => number | null | undefined): number | null => {
    const values = all.map(of);
    return values.every((value) => typeof value === 'number') ? Math.max(...values) : null;
  };
  const [{ fill } = {}] = worse;
  return {
    in_any_replay: {
      outside: Math.max(...all.map(({ outside }) => outside)),
      max_abs_error: most((met) => met.max_abs_error),
      max_rel_error: most((met) => met.max_rel_error),
      max_ulp_error: most((met) => met.max_ulp_error),
      ...(fill !== undefined && worse.every((met) => met.fill !== undefined) ? { fill } : {}),
    },
  };
}

function exceeds(a: ToleranceEvent, b: ToleranceEvent): boolean {
  const greater = (x: number | null | undefined, y: number | null | undefined): boolean =>
    typeof y === 'number' && (typeof x !== 'number' || x > y);
  return (
    a.outside > b.outside ||
    greater(a.max_abs_error, b.max_abs_error) ||
    greater(a.max_rel_error, b.max_rel_error) ||
    greater(a.max_ulp_error, b.max_ulp_error)
  );
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

function withoutPlace({
  event: _event,
  region: _region,
  variable: _variable,
  ...met
}: Met): ComparedRegion['elements'][number] {
  return met;
}
