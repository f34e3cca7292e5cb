import { bytesOf } from '../reproducer/signature';
import { formatCount, table } from '../support/report';
import { idsOnly, type RegionNames } from './region-names';
import { nameOf } from './regions';
import type { ComparedRegion, Report } from './report-json';

type Elements = ComparedRegion['elements'][number];
type Difference = Report['differences'][number];

/** Number of places shown; report.json has more. */
const shownPlaces = 8;
const shownRows = 24;

const header = ['where', 'type', 'elements', 'equal', 'within', 'outside', 'max abs', 'max rel', 'max ULP', 'first at'];

/** A row for each range of elements of one type, or for a region as bytes if its type is unknown. */
export function regionTable(regions: readonly ComparedRegion[], names: RegionNames = idsOnly): string[] {
  const rows = regions.flatMap((region) =>
    region.elements.length > 0
      ? region.elements.map((part) => elementRow(region, part, names))
      : [byteRow(region, names)],
  );
  if (rows.length === 0) return [];
  const more = rows.length - shownRows;
  return [
    ...table([header, ...rows.slice(0, shownRows)]),
    ...(more > 0 ? [`and ${formatCount(more)} more rows: see report.json`] : []),
    ...regions.flatMap((region) => specialLines(region, names)).slice(0, shownRows),
    ...regions
      .flatMap((region) => region.elements.flatMap((part) => replayLine(region, part, names)))
      .slice(0, shownRows),
  ];
}

const byFill = (fill: string | undefined): string =>
  fill === undefined
    ? ''
    : `: only where memory that the captured code overwrites without reading it began with other values (fill "${fill}")`;

/** Figures in which other replays exceed the row: the number outside, and the first of the errors. */
function mostWords(most: NonNullable<Elements['in_any_replay']>, part: Elements): string {
  const errors = [
    ['max abs', most.max_abs_error, part.max_abs_error],
    ['max rel', most.max_rel_error, part.max_rel_error],
    ['max ULP', most.max_ulp_error, part.max_ulp_error],
  ] as const;
  const [name, error] = errors.find(([, more, own]) => more !== own) ?? [];
  return [
    ...(most.outside > part.outside ? [`up to ${formatCount(most.outside)} outside`] : []),
    ...(name === undefined ? [] : [`${name} ${sizeOf(error)}`]),
  ].join(', ');
}

/** The replay that a row is of, where replays differ. */
function replayLine(region: ComparedRegion, part: Elements, names: RegionNames): string[] {
  const { outside, replay, fill, in_any_replay: most } = part;
  if (outside === 0 || replay === undefined || (replay === 1 && fill === undefined && most === undefined)) return [];
  const others = most === undefined ? '' : `; others have ${mostWords(most, part)}${byFill(most.fill)}`;
  return [`${placeOf(region, part, names)}: row and places are of replay ${replay}${byFill(fill)}${others}`];
}

function elementRow(region: ComparedRegion, part: Elements, names: RegionNames): string[] {
  const { max_abs_error: absolute, max_rel_error: relative } = part;
  // Relative errors are undefined if the app computed 0.
  const hasRelative = relative !== 0 || absolute === 0;
  const ulp = typeof part.max_ulp_error === 'number' ? formatCount(part.max_ulp_error) : '-';
  const first = part.first_outside[0]?.offset;
  const special = specialOf(part);
  // The greatest error of the finite elements, if any has one, is told beside NaN.
  const or = (figure: string, value: number | null | undefined): string =>
    special !== '' && value === 0 ? special : figure;
  return [
    placeOf(region, part, names),
    part.dtype,
    ...[part.elements, part.equal, part.within, part.outside].map(formatCount),
    special === '' || absolute === 0 ? or(sizeOf(absolute), absolute) : `${sizeOf(absolute)}, ${special}`,
    hasRelative ? or(sizeOf(relative), relative) : '-',
    or(ulp, part.max_ulp_error),
    first === undefined ? '-' : formatCount(first),
  ];
}

/** The word for an error that no number tells: NaN or an infinity on one side alone, or infinities of both signs. */
export function specialOf({ nan, inf }: Pick<Elements, 'nan' | 'inf'>): string {
  const differs = (count: Elements['nan']): boolean =>
    count !== undefined && count.expected_only + count.actual_only + count.other > 0;
  if (differs(nan)) return 'NaN';
  return differs(inf) ? 'infinite' : '';
}

const sizeOf = (error: number | null | undefined): string =>
  typeof error === 'number' ? error.toPrecision(3) : 'too large';

function byteRow(region: ComparedRegion, names: RegionNames): string[] {
  const { bytes, differing_bytes: differing, first_difference: first } = region;
  const at = typeof first === 'number' ? formatCount(first) : '-';
  return [
    names.of({ ...region, offset: 0 }),
    'bytes',
    ...[bytes, bytes - differing].map(formatCount),
    '-',
    formatCount(differing),
    '-',
    '-',
    '-',
    at,
  ];
}

const placeOf = ({ region, variable }: ComparedRegion, { offset, bytes }: Elements, names: RegionNames): string =>
  names.of({ region, variable, offset, bytes });

/** NaN and infinities are counted separately, so that no maximum hides one. */
function specialLines(region: ComparedRegion, names: RegionNames): string[] {
  return region.elements.flatMap((part) => {
    const lines = [['NaN', part.nan] as const, ['infinity', part.inf] as const].flatMap(([what, count]) => {
      if (!count || count.expected_only + count.actual_only + count.both + count.other === 0) return [];
      const other = count.other > 0 ? `, ${formatCount(count.other)} of the other sign` : '';
      return [
        `${what}: ${formatCount(count.both)} in both, ${formatCount(count.actual_only)} only in the replay, ${formatCount(count.expected_only)} only in what the app computed${other}`,
      ];
    });
    const id = placeOf(region, part, idsOnly);
    const where = part.arguments?.length ? `${part.arguments.join(', ')} (${id})` : placeOf(region, part, names);
    return lines.map((line) => `${where}: ${line}`);
  });
}

/** Shows the first wrong elements and the worst as numbers, or bytes if the type is unknown. */
export function excerpt(
  { regions, differences }: Pick<Report, 'regions' | 'differences'>,
  names: RegionNames = idsOnly,
): string[] {
  const typed = regions.flatMap((region) => region.elements.flatMap((part) => elementExamples(region, part, names)));
  const isTyped = (difference: Difference): boolean =>
    difference.padding === undefined &&
    regions.some(
      (region) => nameOf(region) === nameOf(difference) && region.elements.some((part) => contains(part, difference)),
    );
  const asBytes = differences
    .filter((difference) => !isTyped(difference))
    .map((difference) => byteExample(difference, names));
  const all = [...typed, ...asBytes];
  const more = all.length - shownPlaces;
  return [
    ...all.slice(0, shownPlaces),
    ...(more > 0 ? [`  and ${formatCount(more)} more places: see report.json`] : []),
  ];
}

const contains = (part: Elements, { offset }: Difference): boolean =>
  part.outside > 0 && offset >= part.offset && offset < part.offset + part.bytes;

function elementExamples(region: ComparedRegion, part: Elements, names: RegionNames): string[] {
  if (part.outside === part.excused) return [];
  const bytesEach = part.elements > 0 ? bytesOf(part.dtype) : 1;
  const line = ({ offset, expected, actual }: Elements['first_outside'][number], note = ''): string =>
    `  ${placeOf(region, part, names)}[${formatCount((offset - part.offset) / bytesEach)}] (${part.dtype} at offset ${formatCount(offset)}): expected ${shown(expected, part.dtype)}, got ${shown(actual, part.dtype)}${note}`;
  const { worst } = part;
  const isNew = worst && !part.first_outside.some(({ offset }) => offset === worst.offset);
  return [
    ...part.first_outside.map((example) => line(example)),
    ...(isNew ? [line(worst, ', the greatest error')] : []),
  ];
}

/** Significant digits that distinguish neighbouring values of the type. */
const digits: Readonly<Record<string, number>> = { f32: 9, f16: 5, bf16: 4 };

function shown(value: number | string, dtype: string): string {
  const precision = digits[dtype];
  return typeof value === 'number' && precision !== undefined
    ? String(Number(value.toPrecision(precision)))
    : String(value);
}

function byteExample(difference: Difference, names: RegionNames): string {
  const where = difference.padding === undefined ? names.inText(nameOf(difference)) : 'padding';
  const around = difference.padding === undefined ? '' : ` (around ${String(difference.padding)})`;
  return `  ${where}${around} at offset ${formatCount(difference.offset)}: expected ${difference.first_expected ?? '?'}, got ${difference.first_actual ?? '?'}; ${formatCount(difference.differing_bytes)} bytes differ`;
}
