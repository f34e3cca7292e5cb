import type { CaptureJson } from '../archive/capture-files';
import { absent, chart, formatNumber, tableOf, type Cell } from '../page/parts';
import { markup, type Html } from '../page/html';
import type { ElementType } from '../reproducer/kernel-json';
import type { Reproducer } from '../reproducer/reproducer';
import { claimsOn, type Claim } from '../reproducer/signature';
import { counted } from '../support/format';
import type { ComparedRegion, Report } from '../validate/report-json';
import { nameOf } from '../validate/regions';
import type { CommandOn } from './commands';
import { shown, sizeOfElement, wrongElements, type WrongElement } from './elements';
import type { Left } from './left';

/** Maximum number of outputs that are drawn; the table has all of them. */
const mostMaps = 12;
const mostWorst = 50;

/** Positions at which outputs differ from the app's, over the index space of each. */
export async function differencesBody(
  { config }: Reproducer,
  left: Left<Report>,
  captured: Left<CaptureJson>,
  command: CommandOn,
): Promise<Html> {
  if (left.value === null) return left.why;
  const report = left.value;
  const rows = report.regions;
  if (rows.length === 0) return absent('The kernel changed no memory that was compared, and nothing differs.');
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
      nameOf(row),
      row.bytes,
      row.differing_bytes,
      {
        shown: `${((100 * row.differing_bytes) / Math.max(1, row.bytes)).toPrecision(3)} %`,
        sort: row.differing_bytes / Math.max(1, row.bytes),
      },
      row.first_difference ?? '',
      row.elements
        .map(
          ({ dtype, max_abs_error: most }) =>
            `${dtype}: ${most === null || most === undefined ? 'not known' : shown(most)}`,
        )
        .join('; '),
    ]),
  );
  const maps: Html[] = [];
  for (const row of differing.slice(0, mostMaps)) {
    const claims = claimsFor(row, config, captured);
    maps.push(
      markup`<h3>
          ${nameOf(row)}${claims.length === 0 ? '' : ` (${claims.flatMap(({ parameters }) => parameters.map(({ name }) => name ?? '?')).join(', ')})`}
        </h3>
        ${await heatMap(row, claims, command)}${worst(row, claims, report)}`,
    );
  }
  const more = differing.length - maps.length;
  return markup`${differing.length === 0 ? markup`<p>Every byte that was compared is what the app computed, or within what the verdict allows.</p>` : ''}
  ${maps}${more > 0 ? markup`<p class="muted">${more} more outputs that differ are in the table only.</p>` : ''}${overview}`;
}

function claimsFor(row: ComparedRegion, config: Reproducer['config'], captured: Left<CaptureJson>): Claim[] {
  const region = captured.value?.regions.find(({ id }) => id === row.region);
  if (!region || captured.value === null) return [];
  return claimsOn({ ...region, base: BigInt(region.base) }, config, captured.value);
}

const columns = 64;

async function heatMap(row: ComparedRegion, claims: readonly Claim[], command: CommandOn): Promise<Html> {
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
      data: { values },
      view: { fill: 'var(--d0)', stroke: 'var(--line)' },
      mark: { type: 'rect' },
      encoding: {
        x: {
          field: 'x',
          type: 'quantitative',
          title: `${what} in the row`,
          scale: { domain: [0, wide], nice: false },
          axis: { labelExpr: label(perBin), tickMinStep: 1, grid: false },
        },
        x2: { field: 'x2' },
        y: {
          field: 'y',
          type: 'quantitative',
          title: 'row starts at',
          scale: { domain: [rowsOfIt, 0], nice: false },
          axis: { labelExpr: label(perBin * wide), tickMinStep: 1, grid: false },
        },
        y2: { field: 'y2' },
        color: {
          field: 'share',
          type: 'quantitative',
          title: 'share of bytes',
          scale: {
            type: 'threshold',
            domain: [0.25, 0.5, 0.75],
            range: ['var(--d1)', 'var(--d2)', 'var(--d3)', 'var(--d4)'],
          },
        },
      },
    },
    `Where ${nameOf(row)} differs, row after row over all of its ${formatNumber(row.bytes / bytes)} ${what}: ${counted(row.differing_bytes, 'byte')}, in ${formatNumber(map.bins.length)} of ${formatNumber(count)} cells, each of ${counted(perBin, unit === null ? 'byte' : 'element')}. What is not coloured is equal.`,
  );
}

/** Element type, if all arguments that point into the region agree on it, from its first byte on. */
function elementOf(claims: readonly Claim[]): { type: ElementType; bytes: number } | null {
  const types = new Set(claims.flatMap(({ parameters }) => parameters.map(({ element }) => element)));
  const [type] = types;
  if (types.size !== 1 || type === undefined || type === null || claims[0]?.offset !== 0) return null;
  const bytes = sizeOfElement(type);
  return bytes === null ? null : { type, bytes };
}

function worst(row: ComparedRegion, claims: readonly Claim[], report: Report): Html {
  const own = report.differences.filter((one) => nameOf(one) === nameOf(row));
  const caption = `Worst elements of ${nameOf(row)}`;
  const heads = ['array', 'index', 'expected', 'found', 'absolute error'];
  const rows: Cell[][] = claims.flatMap((claim) => {
    const [parameter] = claim.parameters;
    const type = parameter?.element;
    if (!type) return [];
    const inside = own.filter(({ offset }) => offset >= claim.offset && offset < claim.offset + claim.size);
    return byError(inside.flatMap((one) => wrongElements(one, type, claim.offset))).map((one) => [
      arrayAt([claim], claim.offset),
      one.index,
      one.expected,
      one.actual,
      Number.isNaN(one.error) ? { shown: 'no number', sort: Number.MAX_VALUE } : one.error,
    ]);
  });
  const typed = row.elements.flatMap(({ dtype, worst: found, first_outside: outside, offset, arguments: names }) =>
    // The worst element may be among the first ones.
    [...(found ? [found] : []), ...outside.filter((one) => one.offset !== found?.offset)].map((one): Cell[] => [
      names?.join(', ') || arrayAt(claims, offset) || `${nameOf(row)} (${dtype})`,
      (one.offset - offset) / (sizeOfElement(dtype as ElementType) ?? 1),
      shown(one.expected),
      shown(one.actual),
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
        `First differences of ${nameOf(row)}, as bytes: what it holds is not known`,
        ['byte', 'bytes that differ', 'expected', 'found'],
        raw,
      );
}

/** Names of the parameters that point to the array which holds a byte. */
const arrayAt = (claims: readonly Claim[], at: number): string =>
  claims
    .filter(({ offset, size }) => at >= offset && at < offset + size)
    .flatMap(({ parameters }) => parameters.map(({ name, index }) => name ?? `argument ${index}`))
    .join(', ');

/** Sorts by error, largest first; NaN comes before all numbers. */
const byError = (elements: readonly WrongElement[]): WrongElement[] =>
  elements.toSorted((a, b) => weight(b) - weight(a));
const weight = ({ error }: WrongElement): number => (Number.isNaN(error) ? Infinity : error);
