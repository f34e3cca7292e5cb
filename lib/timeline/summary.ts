/** Statistics of a timeline that need not hold it in memory. */
export interface EventStatistics {
  readonly rank: number;
  readonly name: string;
  /** Number of all events; those that never ended or end before they start are in no other figure. */
  count: number;
  open: number;
  reversed: number;
  total: number;
  least: number;
  most: number;
  payloadBytes: number;
  /** Number of events shorter than 1, 2, 4, 8, … */
  readonly lengths: number[];
}

export interface PicturedSlice {
  readonly rank: number;
  readonly track: string;
  readonly lane: number;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Maximum number of slices in a picture. */
export const mostPictured = 3000;

/** Maximum number of names distinguished per rank: names come from files. */
const mostRows = 4096;

export class Summary {
  readonly rows = new Map<string, EventStatistics>();
  readonly pictured: PicturedSlice[] = [];
  slices = 0;
  lastEnd = 0;

  event(rank: number, name: string, start: number, end: number, payload: number): void {
    const row = this.row(rank, name);
    row.count++;
    row.payloadBytes += payload;
    if (Number.isNaN(end)) row.open++;
    else if (end < start) row.reversed++;
    else {
      const length = end - start;
      row.total += length;
      row.least = Math.min(row.least, length);
      row.most = Math.max(row.most, length);
      const bin = length < 1 ? 0 : 1 + Math.floor(Math.log2(length));
      row.lengths[bin] = (row.lengths[bin] ?? 0) + 1;
    }
  }

  /** Adds a drawn slice; slices come in the order of their starts. */
  slice(slice: PicturedSlice): void {
    this.slices++;
    if (slice.end > this.lastEnd) this.lastEnd = slice.end;
    if (this.pictured.length < mostPictured) this.pictured.push(slice);
  }

  private row(rank: number, name: string): EventStatistics {
    const key = `${rank}/${name}`;
    const known = this.rows.get(key) ?? (this.rows.size < mostRows ? undefined : this.rows.get('others'));
    if (known) return known;
    const isOthers = this.rows.size >= mostRows;
    const row = { count: 0, open: 0, reversed: 0, total: 0, least: Infinity, most: 0, payloadBytes: 0, lengths: [] };
    const added = { ...row, rank: isOthers ? -1 : rank, name: isOthers ? 'others' : name };
    this.rows.set(isOthers ? 'others' : key, added);
    return added;
  }
}
