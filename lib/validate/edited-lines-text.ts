import { counted, formatCount } from '../support/format';
import type { SourceLine } from '../toolchain/line-table';
import { keyOf } from './coverage';
import { hasSelection } from './removed-conditions';
import type { EditedLines, Report } from './report-json';

/** Words before the summary of a pass, which says nothing of lines that no replay executed. */
export function unseenWords({
  edited,
  not_run: idle,
  partly_run: partly = [],
  selects = [],
  one_sided: oneSided = [],
  removed = [],
  removed_lines: before = [],
  narrowed = [],
  other_kernels: beside = [],
  outside = [],
}: EditedLines): string {
  const of = `of ${counted(edited, 'edited line')}`;
  const unjudged = [
    ...(idle.length > 0 ? [`${formatCount(idle.length)} ${of}`] : []),
    ...(partly.length > 0 ? [`a part of ${formatCount(partly.length)} ${of}`] : []),
  ];
  const gone = [...removed, ...before.filter((line) => !neverRan(line))];
  const moved = gone.filter((line) => 'moved' in line).length;
  const way = moved === 0 ? 'removed' : moved === gone.length ? 'moved' : 'moved or removed';
  const what = `${way} ${gone.every(decides) ? 'condition' : 'line'}`;
  return [
    ...outside.slice(0, 1).map(({ access }) => `NOT judged: ${access}, which may fault on hardware`),
    ...(unjudged.length > 0 ? [`NOT judged: ${unjudged.join(' and ')}, which never ran`] : []),
    ...(before.some(neverRan)
      ? [`NOT judged: ${counted(before.filter(neverRan).length, 'removed line')}, which never ran before either`]
      : []),
    ...(beside.length > 0 ? [`NOT judged: ${counted(beside.length, 'other kernel')} that the edit is in`] : []),
    ...(oneSided.length > 0
      ? [`NOT seen: the other side of a condition in ${formatCount(oneSided.length)} ${of}`]
      : []),
    ...(selects.length > 0 ? [`NOT seen: which value ${formatCount(selects.length)} ${of} selected`] : []),
    ...(gone.length > 0
      ? [`NOT seen: whether ${counted(gone.length, what)} ${gone.length === 1 ? 'matters' : 'matter'}`]
      : []),
    ...parametersIn(narrowed).map((name) => `NOT seen: whether another ${name} matters`),
    ...(narrowed.some(isOfType)
      ? [
          `NOT seen: values that ${counted(new Set(narrowed.filter(isOfType).map(keyOf)).size, 'edited line')} may narrow`,
        ]
      : []),
  ]
    .map((words) => `${words}; `)
    .join('');
}

const shownLines = 5;

/** Nothing where all instructions ran and none selected, as far as lines and columns tell. */
export function editedLineWords(
  { edited_lines: lines, verdict, inputs }: Pick<Report, 'edited_lines' | 'verdict' | 'inputs'>,
  launchesInProfile: () => number | null,
): string[] {
  if (!lines) return [];
  const {
    edited,
    without_code: without,
    not_run: idle,
    partly_run: partly = [],
    selects = [],
    one_sided: oneSided = [],
    removed = [],
    removed_lines: before = [],
    narrowed = [],
    other_kernels: beside = [],
    outside = [],
  } = lines;
  const passed = verdict === 'pass';
  const unseen = [idle, partly, selects, oneSided, removed, before, narrowed].some(({ length }) => length > 0);
  const others =
    without === 0
      ? ''
      : without === 1
        ? '; 1 has no code of its own'
        : `; ${formatCount(without)} have no code of their own`;
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
    ...(beside.length > 0 && passed
      ? [
          `the edit is in ${listed(beside)}, which this project does not judge: \`kernloop extract\` makes a project of each`,
        ]
      : []),
    // A failing verdict needs no doubt.
    ...(oneSided.length > 0 && passed ? oneSidedWords(oneSided) : []),
    ...(selects.length > 0 && passed ? [selectWords(selects)] : []),
    ...(passed ? [...removedWords(removed), ...removedLineWords(before), ...narrowedWords(narrowed)] : []),
    ...(passed && unseen ? [nextWords(inputs !== undefined, launchesInProfile())] : []),
  ];
}

/** The next step after a pass without doubts, which is of the captured input alone. */
export function ofCapturedInput({
  edited_lines: lines,
  verdict,
  inputs,
}: Pick<Report, 'edited_lines' | 'verdict' | 'inputs'>): string[] {
  const isPlain = lines !== undefined && verdict === 'pass' && inputs === undefined && unseenWords(lines) === '';
  return isPlain ? ['judged with the captured input alone: `--inputs 8` derives others from it'] : [];
}

/**
 * Derived inputs keep their values within what was captured; other dispatches may have others. `launches` is the number
 * of them in the app's profile, or null.
 */
function nextWords(hasInputs: boolean, launches: number | null): string {
  const derived = '`--inputs 8` tries other scalars, and array values of the captured range';
  if (launches === 1) {
    const once = `the app launched it once in its last profiled run: what the captured range does not reach needs ${otherRun}`;
    return hasInputs ? once : `${derived}; ${once}`;
  }
  if (launches === null) {
    const others = `${otherRun}, may reach that, and so may ${dispatchEntry}, if the app launches it more often`;
    return hasInputs ? others : `${derived}; ${others}`;
  }
  const dispatches = `of the ${formatCount(launches)} that the app launched`;
  return hasInputs
    ? `more dispatches ${dispatches} may reach that: ${dispatchEntry}`
    : `other inputs may reach that: ${derived}; ${dispatchEntry} captures more dispatches ${dispatches}`;
}

const otherRun =
  'another run of the app, with other arguments or input files (`command` in kernloop.json, then `kernloop extract`)';
const dispatchEntry = '`"dispatch": [1, 2]` in kernloop.json';

function oneSidedWords(lines: NonNullable<EditedLines['one_sided']>): string[] {
  const own = lines.filter(({ condition_line: line }) => line === undefined);
  const under = lines.filter(({ condition_line: line }) => line !== undefined);
  const unseen = 'that came out the same in every lane: its other side was not seen';
  return [
    ...(own.length > 0 ? [`${listed(own.map(keyOf))} ${own.length === 1 ? 'has' : 'have'} a condition ${unseen}`] : []),
    ...(under.length > 0
      ? [`${listed(under.map(nameOf))} ${under.length === 1 ? 'depends' : 'depend'} on a condition ${unseen}`]
      : []),
  ];
}

function selectWords(lines: NonNullable<EditedLines['selects']>): string {
  const verb = lines.length === 1 ? 'selects' : 'select';
  return `${listed(lines.map(nameOf))} ${verb} a value (by a condition, a minimum, a clamp or the like): which was taken was not seen`;
}

type Conditioned = SourceLine & { condition_line?: number | undefined };

const nameOf = ({ condition_line: condition, ...line }: Conditioned): string =>
  condition === undefined ? keyOf(line) : `${keyOf(line)} (under line ${condition})`;

/** Text of a removed line; longer lines are cut. */
const shownText = 60;

function removedWords(lines: NonNullable<EditedLines['removed']>): string[] {
  if (lines.length === 0) return [];
  const named = lines
    .slice(0, shownLines)
    .map((line, index) => `${keyOf(line)} lacks ${index === 0 ? 'the removed ' : ''}${quoted(line)}`);
  const more = lines.length > shownLines ? `, and ${formatCount(lines.length - shownLines)} more` : '';
  return [`${named.join(', ')}${more}: inputs for which that matters were not seen`];
}

const quoted = ({ text }: { readonly text: string }): string =>
  `\`${text.length > shownText ? `${text.slice(0, shownText)}…` : text}\``;

type RemovedLine = NonNullable<EditedLines['removed_lines']>[number];

const neverRan = ({ seen }: RemovedLine): boolean => seen === 'not run' || seen === 'partly run';

const decides = ({ text }: { readonly text: string }): boolean => hasSelection(text) || /\b(?:for|while)\b/.test(text);

/** Lines of pristine/, which the edit removed or changed. */
function removedLineWords(lines: readonly RemovedLine[]): string[] {
  const words: [string, (line: RemovedLine) => boolean][] = [
    ['which never ran in the captured kernel either', ({ seen }) => seen === 'not run'],
    ['which ran in part in the captured kernel', ({ seen }) => seen === 'partly run'],
    [
      'which came out the same in every lane of the captured kernel',
      (line) => line.seen === 'one side' && decides(line),
    ],
    [
      'which depends on a condition that came out the same in every lane of the captured kernel',
      (line) => line.seen === 'one side' && !decides(line),
    ],
    ['of which the captured kernel does not show whether it mattered', ({ seen }) => seen === 'not told'],
  ];
  return words.flatMap(([what, isOne]) =>
    [false, true].flatMap((isMoved) => {
      const own = lines.filter((line) => isOne(line) && (line.moved === true) === isMoved);
      if (own.length === 0) return [];
      const named = listed(own.map((line) => `pristine/${keyOf(line)} ${quoted(line)}`));
      return [`${isMoved ? 'moved' : 'removed'}: ${named}, ${what}: inputs for which that matters were not seen`];
    }),
  );
}

type Narrowed = NonNullable<EditedLines['narrowed']>[number];

const isOfType = ({ kind }: Narrowed): boolean => kind === 'type';

const parametersIn = (lines: readonly Narrowed[]): string[] => [
  ...new Set(lines.filter(({ kind }) => kind === 'parameter').map(({ text }) => text)),
];

function narrowedWords(lines: readonly Narrowed[]): string[] {
  return lines.slice(0, shownLines).map((one) => {
    if (one.kind === 'parameter')
      return `${keyOf(one)} lacks the removed \`${one.text}\`, which had one value in all that was judged`;
    return `${keyOf(one)} ${one.change === 'put' ? `has \`${one.text}\`` : `lacks the removed \`${one.text}\``}: values that it changes were not seen, or made no difference`;
  });
}

function listed(places: readonly string[]): string {
  const more = places.length > shownLines ? `, and ${formatCount(places.length - shownLines)} more` : '';
  return `${places.slice(0, shownLines).join(', ')}${more}`;
}
