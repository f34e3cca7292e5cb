import type { TopLevelSpec } from 'vega-lite';
import { mostPictured, type Summary } from './summary';

const mostRows = 64;

/** The first slices as bars, one row per lane, for a page. */
export function pictureOf({ pictured, slices }: Summary, unit: 'ns' | 'steps'): TopLevelSpec {
  const rows = [...new Set(pictured.map(rowOf))];
  const shown = new Set(rows.sort(byNumbers).slice(0, mostRows));
  const values = pictured
    .filter((slice) => shown.has(rowOf(slice)))
    .map((slice) => ({
      row: rowOf(slice),
      name: slice.name,
      start: slice.start,
      end: slice.end,
    }));
  const first = Math.min(...values.map(({ start }) => start), Infinity);
  const left = slices > mostPictured || rows.length > mostRows;
  return {
    title: left ? `The first ${values.length} of ${slices} slices` : `${slices} slices`,
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
      },
      x2: { field: 'end' },
      y: { field: 'row', type: 'ordinal', title: null, sort: [...shown] },
      color: { field: 'name', type: 'nominal', title: null },
      stroke: { field: 'name', type: 'nominal', legend: null },
    },
  };
}

/** Description for screen readers: the table of events has the figures. */
export const pictureWords = ({ pictured, slices }: Summary): string =>
  `Timeline of ${pictured.length} of ${slices} slices, a row a lane; the table of events has the sums of all.`;

const rowOf = ({ rank, track, lane }: { rank: number; track: string; lane: number }): string =>
  `rank ${rank}, ${track}${lane === 0 ? '' : `, lane ${lane}`}`;

const byNumbers = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
