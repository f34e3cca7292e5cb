import type { TopLevelSpec } from 'vega-lite';
import { mostPictured, type Summary } from './summary';

const mostRows = 64;

/** The first slices as bars, one row per lane, for a page. */
export function pictureOf({ pictured, slices }: Summary, unit: 'ns' | 'steps'): TopLevelSpec {
  const all = [...new Set(pictured.map(rowOf))].sort(byNumbers);
  const shown = all.slice(0, mostRows);
  const { common, labels } = labelsOf(shown);
  const values = pictured.flatMap((slice) => {
    const row = labels.get(rowOf(slice));
    return row === undefined ? [] : [{ row, name: slice.name, start: slice.start, end: slice.end }];
  });
  const first = Math.min(...values.map(({ start }) => start), Infinity);
  const left = slices > mostPictured || all.length > mostRows;
  const count = left ? `The first ${values.length} of ${slices} slices` : `${slices} slices`;
  return {
    title: common === '' ? count : `${count} of ${common}`,
    width: 900,
    height: { step: 12 },
    data: { values: values.map(({ start, end, ...rest }) => ({ ...rest, start: start - first, end: end - first })) },
    // The outline keeps slices narrower than a pixel visible.
    mark: { type: 'bar', strokeWidth: 1 },
    encoding: {
      x: {
        field: 'start',
        type: 'quantitative',
        title: unit === 'ns' ? 'ns since the first event' : 'steps of the software GPU, which are not times',
        // An axis behind the last event would look like idle time.
        scale: { nice: false },
      },
      x2: { field: 'end' },
      y: { field: 'row', type: 'ordinal', title: null, sort: shown.map((row) => labels.get(row) ?? row) },
      color: { field: 'name', type: 'nominal', title: 'event' },
      stroke: { field: 'name', type: 'nominal', title: 'event' },
    },
  };
}

/** Description for screen readers: the table of events has the figures. */
export const pictureWords = ({ pictured, slices }: Summary): string =>
  `Timeline of ${pictured.length} of ${slices} slices, a row a lane; the table of events has the sums of all.`;

/** Parts of a row's name are between commas. */
const rowOf = ({ rank, track, lane }: { rank: number; track: string; lane: number }): string =>
  `rank ${rank}, ${track}, lane ${lane}`;

/** Parts that all rows share, and the rest of each: the whole names would be cut short to the same label. */
function labelsOf(rows: readonly string[]): { common: string; labels: ReadonlyMap<string, string> } {
  const split = rows.map((row) => row.split(', '));
  const isCommon = (part: string, index: number): boolean =>
    split.length > 1 && split.every((each) => each.length === split[0]?.length && each[index] === part);
  const rest = (parts: readonly string[]): string => parts.filter((part, index) => !isCommon(part, index)).join(', ');
  return {
    common: (split[0] ?? []).filter(isCommon).join(', '),
    labels: new Map(rows.map((row, index) => [row, rest(split[index] ?? [])])),
  };
}

const byNumbers = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
