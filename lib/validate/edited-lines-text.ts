import { counted, formatCount } from '../support/format';
import type { SourceLine } from '../toolchain/line-table';
import { keyOf } from './edited-lines';
import type { EditedLines, Report } from './report-json';

/** Words before the summary of a pass, which says nothing of lines that no replay executed. */
export function unseenWords({
  edited,
  not_run: idle,
  partly_run: partly = [],
  selects = [],
  one_sided: oneSided = [],
  outside = [],
}: EditedLines): string {
  const of = `of ${counted(edited, 'edited line')}`;
  const unjudged = [
    ...(idle.length > 0 ? [`${formatCount(idle.length)} ${of}`] : []),
    ...(partly.length > 0 ? [`a part of ${formatCount(partly.length)} ${of}`] : []),
  ];
  return [
    ...outside.slice(0, 1).map(({ access }) => `NOT judged: ${access}, which may fault on hardware`),
    ...(unjudged.length > 0 ? [`NOT judged: ${unjudged.join(' and ')}, which never ran`] : []),
    ...(oneSided.length > 0
      ? [`NOT seen: the other side of a condition in ${formatCount(oneSided.length)} ${of}`]
      : []),
    ...(selects.length > 0 ? [`NOT seen: which value ${formatCount(selects.length)} ${of} selected`] : []),
  ]
    .map((words) => `${words}; `)
    .join('');
}

const shownLines = 5;

/** Nothing where all instructions ran and none selected, as far as lines and columns tell. */
export function editedLineWords({
  edited_lines: lines,
  verdict,
  inputs,
}: Pick<Report, 'edited_lines' | 'verdict' | 'inputs'>): string[] {
  if (!lines) return [];
  const {
    edited,
    without_code: without,
    not_run: idle,
    partly_run: partly = [],
    selects = [],
    one_sided: oneSided = [],
    outside = [],
  } = lines;
  const others = without > 0 ? `; ${formatCount(without)} have no code of their own` : '';
  const whole = `no instruction of ${formatCount(idle.length)} of ${formatCount(edited)} edited lines ran: ${listed(idle.map(keyOf))}${others}`;
  const parts = partly.map((place) => `${keyOf(place)} from column ${place.column}`);
  return [
    ...(idle.length > 0 ? [whole] : []),
    ...(parts.length > 0
      ? [`a part of ${formatCount(parts.length)} of ${formatCount(edited)} edited lines never ran: ${listed(parts)}`]
      : []),
    ...outside
      .slice(0, 1)
      .flatMap(({ access, source, next }) => [
        `outside of its arrays${source === null ? '' : ` at ${source}`}: ${access}; the captured code makes no such access (\`--guard\` ends a replay there)`,
        ...(next === null ? [] : [next]),
      ]),
    // A failing verdict needs no doubt.
    ...(oneSided.length > 0 && verdict === 'pass' ? [oneSidedWords(oneSided, inputs !== undefined)] : []),
    ...(selects.length > 0 && verdict === 'pass' ? [selectWords(selects, inputs !== undefined)] : []),
  ];
}

/** Derived inputs keep their values within what was captured, so that another dispatch is what may help. */
const nextInput = (hasInputs: boolean): string =>
  hasInputs
    ? ' (captures of more dispatches may reach it: `"dispatch": [1, 2]` in kernloop.json)'
    : ' (`--inputs 8` tries other inputs)';

function oneSidedWords(lines: readonly SourceLine[], hasInputs: boolean): string {
  const verb = lines.length === 1 ? 'has' : 'have';
  return `${listed(lines.map(keyOf))} ${verb} a condition that came out the same in every lane: its other side was not seen${nextInput(hasInputs)}`;
}

function selectWords(selects: readonly SourceLine[], hasInputs: boolean): string {
  const verb = selects.length === 1 ? 'selects' : 'select';
  return `${listed(selects.map(keyOf))} ${verb} a value without a condition: which was taken was not seen${nextInput(hasInputs)}`;
}

function listed(places: readonly string[]): string {
  const more = places.length > shownLines ? `, and ${formatCount(places.length - shownLines)} more` : '';
  return `${places.slice(0, shownLines).join(', ')}${more}`;
}
