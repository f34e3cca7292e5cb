import type { EventDetails, TimelineWriter } from '../perfetto/timeline-writer';
import type { RankHeader } from './events';
import { invalidEvents } from './invalid';
import { Lanes } from './lanes';
import type { Summary } from './summary';

/** Maximum number of tracks of all ranks: viewers cannot show more, and a file with more is hostile. */
const mostTracks = 1 << 17;
const mostLanesInOrder = 64;

/** Process numbers in the file: ranks first, then processes that belong to no rank. */
export const processOf = { rank: (rank: number) => rank + 1, host: 100_000, launches: 200_000 } as const;

interface Unit {
  readonly track: bigint;
  readonly name: string;
  readonly order: number;
  readonly lanes: Lanes;
  readonly laneTracks: bigint[];
}

/** Track position of an event. */
interface Place {
  readonly process: bigint;
  readonly rank: number;
  readonly unit: string;
  readonly order: number;
  readonly program: number;
}

/** Tracks below the processes of a timeline, created on demand. */
export class Tracks {
  private readonly units = new Map<string, Unit>();
  private count = 0;

  constructor(
    private readonly writer: TimelineWriter,
    private readonly summary: Summary,
    private readonly path: string,
  ) {}

  /** Writes a slice in a lane of its unit. Slices nest only within the same `program`. */
  slice(place: Place, name: string, start: number, end: number, details: EventDetails): void {
    const { track, lane } = this.laneOf(place, start, end);
    this.writer.slice(track, name, start, end, details);
    if (place.rank >= 0) this.summary.slice({ rank: place.rank, track: place.unit, lane, name, start, end });
  }

  /** Writes a point in time. It gets a lane like a slice, because viewers nest points of one time and track. */
  instant(place: Place, name: string, at: number, details: EventDetails): void {
    this.writer.instant(this.laneOf(place, at, at).track, name, at, details);
  }

  private laneOf(place: Place, start: number, end: number): { track: bigint; lane: number } {
    const unit = this.unitOf(place.process, place.unit, place.order);
    const lane = unit.lanes.place(place.program, start, end);
    const track = (unit.laneTracks[lane] ??= this.made(
      this.writer.track(
        unit.track,
        `lane ${lane}`,
        unit.order * mostLanesInOrder + Math.min(lane + 1, mostLanesInOrder - 1),
      ),
    ));
    return { track, lane };
  }

  private unitOf(process: bigint, name: string, order: number): Unit {
    const key = `${process}/${name}`;
    const known = this.units.get(key);
    if (known) return known;
    const track = this.made(this.writer.track(process, name, order * mostLanesInOrder));
    const unit = { track, name, order, lanes: new Lanes(), laneTracks: [] };
    this.units.set(key, unit);
    return unit;
  }

  private made(track: bigint): bigint {
    if (++this.count > mostTracks)
      throw invalidEvents(
        this.path,
        `more than ${mostTracks} units or events at a time`,
        'trace fewer programs at a time',
      );
    return track;
  }
}

/** Name of a compute unit from its number on the device side (docs/reference/tracing.md), which identifies it. */
export function unitName({ target }: RankHeader, xcc: number, unit: number, isOfIris: boolean): string {
  if (target.startsWith('cuda')) return `SM ${unit}`;
  // Iris records the compute unit within its shader engine only: several share a number.
  if (isOfIris) return `XCC ${xcc}, CU ${unit}`;
  if (/^amd-gfx9/.test(target)) return `XCC ${xcc}, SE ${unit >> 5}, SH ${(unit >> 4) & 1}, CU ${unit & 15}`;
  if (/^amd-gfx1[0-2]/.test(target))
    return `SE ${unit >> 6}, SA ${(unit >> 5) & 1}, WGP ${(unit >> 1) & 15}, CU ${unit & 1}`;
  return `unit ${unit}`;
}
