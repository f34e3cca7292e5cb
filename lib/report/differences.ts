import { absent, chart, formatNumber, tableOf, type Cell } from '../page/parts';
import { breakable, markup, type Html } from '../page/html';
import type { ElementType } from '../reproducer/kernel-json';
import type { Claim } from '../reproducer/signature';
import { counted } from '../support/format';
import type { ComparedRegion, Report } from '../validate/report-json';
import { specialOf } from '../validate/region-text';
import { nameOf } from '../validate/regions';
import type { CommandOn } from './commands';
import { shown, sizeOfElement, wrongElements, type WrongElement } from './elements';
import { lacking, type Body, type Left } from './left';
import { parameterName, type PlaceNames } from './place-names';

/** Maximum number of outputs that are drawn; the table has all of them. */
const mostMaps = 12;
const mostWorst = 50;

/** Positions at which outputs differ from the app's, over the index space of each. */
export async function differencesBody(left: Left<Report>, names: PlaceNames, command: CommandOn): Promise<Body> {
  if (left.value === null) return lacking(left);
  const report = left.value;
  const rows = report.regions;
  if (rows.length === 0)
    return absent(
      hasEnded(report.verdict)
        ? 'The kernel changed no memory that was compared, and nothing differs.'
        : 'Nothing was compared: the launch did not come to its end.',
    );
  const differing = rows.filter(({ differing_bytes: bytes }) => bytes > 0);
  const overview = tableOf(
    'Outputs: what the kernel changed, and what differs',
    [
      'output',
      'bytes',
      'bytes that differ',
      'share',
      'first difference at byte',
      'greatest error of all replays, by type',
    ],
    rows.map((row) => [
      names.of(row),
      row.bytes,
      row.differing_bytes,
      {
        shown:
          row.differing_bytes === 0
            ? '0 %'
            : `${((100 * row.differing_bytes) / Math.max(1, row.bytes)).toPrecision(3)} %`,
        sort: row.differing_bytes / Math.max(1, row.bytes),
      },
      row.first_difference ?? '',
      row.elements.map((part) => `${part.dtype}: ${greatestError(part)}`).join('; '),
    ]),
  );
  const maps: Html[] = [];
  for (const row of differing.slice(0, mostMaps)) {
    const claims = names.claims(row.region ?? undefined);
    const name = names.of(row);
    maps.push(markup`<h3>${breakable(name)}</h3>
      ${await heatMap(row, name, claims, command)}${worst(row, name, claims, report)}`);
  }
  const more = differing.length - maps.length;
  return markup`${differing.length === 0 && hasEnded(report.verdict) ? markup`<p>Every byte that was compared is what the app computed, or within what the verdict allows.</p>` : ''}
  ${overview}${maps}${more > 0 ? markup`<p class="muted">${more} more outputs that differ are in the table only.</p>` : ''}`;
}

/** Errors that are no numbers are told beside the greatest number, which does not count them. */
function greatestError(part: ComparedRegion['elements'][number]): string {
  const special = specialOf(part);
  const { max_abs_error: most } = part;
  if (most === null || most === undefined) return special || 'not known';
  return special === '' ? shown(most) : most === 0 ? special : `${shown(most)}, ${special}`;
}

/** False for a launch that was stopped: nothing that it left was compared. */
export const hasEnded = (verdict: string): boolean => verdict !== 'fault' && verdict !== 'limit';

const columns = 64;

async function heatMap(row: ComparedRegion, name: string, claims: readonly Claim[], command: CommandOn): Promise<Html> {
  const map = row.difference_map;
  if (!map)
    return absent(
      'Where it differs was not written down (an older report, a fault, or beyond the first 64 outputs); this tells:',
      command('validate'),
    );
  const unit = elementOf(claims);
  const bytes = unit?.bytes ?? 1;
  const count = Math.ceil(row.bytes / map.bin_bytes);
  const wide = Math.min(columns, count);
  const values = map.bins.flatMap(([bin, differing]) => {
    if (bin >= count) return [];
    const size = Math.min(map.bin_bytes, row.bytes - bin * map.bin_bytes);
    const [x, y] = [bin % wide, Math.floor(bin / wide)];
    return [{ x, x2: x + 1, y, y2: y + 1, share: Math.min(1, differing / size) }];
  });
  const perBin = map.bin_bytes / bytes;
  const rowsOfIt = Math.ceil(count / wide);
  const what = unit === null ? 'bytes' : `elements (${unit.type})`;
  // Labels show indexes; positions are bins.
  const label = (scale: number): string => `format(datum.value * ${scale}, ',')`;
  return chart(
    {
      width: 8 * Math.max(wide, 16),
      height: Math.max(24, 12 * rowsOfIt),
      // A legend at the side would be higher than a small map.
      config: { legend: { orient: 'bottom', direction: 'horizontal' } },
      data: { values },
      view: { fill: 'var(--d0)', stroke: 'var(--line)' },
      mark: { type: 'rect' },
      encoding: {
        x: {
          field: 'x',
          type: 'quantitative',
          title: rowsOfIt === 1 ? what : `${what} in the row`,
          scale: { domain: [0, wide], nice: false },
          axis: { labelExpr: label(perBin), tickMinStep: 1, grid: false },
        },
        x2: { field: 'x2' },
        y: {
          field: 'y',
          type: 'quantitative',
          title: 'row starts at',
          scale: { domain: [rowsOfIt, 0], nice: false },
          axis: rowsOfIt === 1 ? null : { labelExpr: label(perBin * wide), values: rowTicks(rowsOfIt), grid: false },
        },
        y2: { field: 'y2' },
        color: {
          field: 'share',
          type: 'quantitative',
          title: 'share that differs',
          scale: {
            type: 'threshold',
            domain: [0.25, 0.5, 0.75],
            range: ['var(--d1)', 'var(--d2)', 'var(--d3)', 'var(--d4)'],
          },
        },
      },
    },
    `Where ${name} differs, row after row over all of its ${formatNumber(row.bytes / bytes)} ${what}: ${counted(row.differing_bytes, 'byte')}, in ${formatNumber(map.bins.length)} of ${formatNumber(count)} cells, each of ${counted(perBin, unit === null ? 'byte' : 'element')}. What is not coloured is equal.`,
  );
}

/** Upper edges of rows, 16 at most; the lower edge of the last row starts no row. */
export function rowTicks(rows: number): number[] {
  const step = Math.ceil(rows / 16);
  return Array.from({ length: Math.ceil(rows / step) }, (_, index) => index * step);
}

/** Element type, if all arguments that point into the region agree on it, from its first byte on. */
function elementOf(claims: readonly Claim[]): { type: ElementType; bytes: number } | null {
  const types = new Set(claims.flatMap(({ parameters }) => parameters.map(({ element }) => element)));
  const [type] = types;
  if (types.size !== 1 || type === undefined || type === null || claims[0]?.offset !== 0) return null;
  const bytes = sizeOfElement(type);
  return bytes === null ? null : { type, bytes };
}

function worst(row: ComparedRegion, name: string, claims: readonly Claim[], report: Report): Html {
  const own = report.differences.filter((one) => nameOf(one) === nameOf(row));
  const caption = `Worst elements of ${name}`;
  const heads = ['array', 'index', 'expected', 'found', 'absolute error'];
  const rows: Cell[][] = claims.flatMap((claim) => {
    const [parameter] = claim.parameters;
    const type = parameter?.element;
    if (!type) return [];
    const inside = own.filter(({ offset }) => offset >= claim.offset && offset < claim.offset + claim.size);
    return byError(inside.flatMap((one) => wrongElements(one, type, claim.offset))).map((one) => [
      arrayAt([claim], claim.offset),
      one.index,
      figure(one.expected),
      figure(one.actual),
      Number.isNaN(one.error) ? { shown: 'no number', sort: Number.MAX_VALUE } : one.error,
    ]);
  });
  const typed = row.elements.flatMap(({ dtype, worst: found, first_outside: outside, offset, arguments: names }) =>
    // The worst element may be among the first ones.
    [...(found ? [found] : []), ...outside.filter((one) => one.offset !== found?.offset)].map((one): Cell[] => [
      names?.join(', ') || arrayAt(claims, offset) || `${name} (${dtype})`,
      (one.offset - offset) / (sizeOfElement(dtype as ElementType) ?? 1),
      figure(shown(one.expected)),
      figure(shown(one.actual)),
      Math.abs(Number(one.expected) - Number(one.actual)),
    ]),
  );
  if (typed.length > 0)
    return markup`${tableOf(caption, heads, typed.slice(0, mostWorst))}
      <p class="muted">Of one replay: the element with the greatest error, and the first that are out of bounds.</p>`;
  if (rows.length > 0)
    return markup`${tableOf(caption, heads, rows.slice(0, mostWorst))}
      <p class="muted">
        The worst of the first ${own.length} places that differ, which are what a verdict writes down; a worse one may
        lie behind them. With --atol, --rtol or --ulp validate finds the worst of all.
      </p>`;
  const raw = own
    .slice(0, mostWorst)
    .map((one) => [one.offset, one.differing_bytes, one.first_expected ?? '', one.first_actual ?? '']);
  return raw.length === 0
    ? absent('None of its differences is among those that the verdict wrote down.')
    : tableOf(
        `First differences of ${name}, as bytes: what it holds is not known`,
        ['byte', 'bytes that differ', 'expected', 'found'],
        raw,
      );
}

/** A value in the digits that tell it apart, right-aligned; NaN comes last. */
const figure = (value: string): Cell => ({
  shown: value,
  sort: Number.isNaN(Number(value)) ? Number.MAX_VALUE : Number(value),
});

/** Names of the parameters that point to the array which holds a byte. */
const arrayAt = (claims: readonly Claim[], at: number): string =>
  claims
    .filter(({ offset, size }) => at >= offset && at < offset + size)
    .flatMap(({ parameters }) => parameters.map(parameterName))
    .join(', ');

/** Sorts by error, largest first; NaN comes before all numbers. */
const byError = (elements: readonly WrongElement[]): WrongElement[] =>
  elements.toSorted((a, b) => weight(b) - weight(a));
const weight = ({ error }: WrongElement): number => (Number.isNaN(error) ? Infinity : error);
