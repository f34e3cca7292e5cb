import { formatCount } from '../support/report';
import type { DerivedEvent } from '../replay/replay-events';
import type { Place } from '../reproducer/signature';
import type { DerivedInputs, DispatchReport } from './report-json';

const recipes: Readonly<Record<string, string>> = {
  resampled: 'other values',
  permuted: 'its values in other places',
  signs: 'other signs',
  zeros: 'zeros and other values exchanged',
};

/** Text such as "other values in x, r2", "n = 4095 instead of 4096"; with a secret seed "another n". */
export function inputWords(
  { arrays, recipe, argument }: Pick<DerivedEvent, 'arrays' | 'recipe' | 'argument'>,
  namesAt: (place: Place) => string[],
  isSecret = false,
): string {
  if (argument && isSecret) return `another ${argument.name}`;
  if (argument) return `${argument.name} = ${argument.to} instead of ${argument.from}`;
  const namesOf = ({ region, variable, offset }: (typeof arrays)[number]): string[] => {
    const target = region ?? variable ?? '?';
    const names = namesAt({ target, offset, size: 1 });
    return names.length > 0 ? names : [target];
  };
  const moved = arrays.filter(({ record_bytes: bytes }) => bytes !== undefined);
  if (moved.length > 0) {
    const words = moved.map(
      (array) =>
        `${formatCount(array.moved_records ?? 0)} of ${formatCount(array.records ?? 0)} records of ${namesOf(array).join(', ')}`,
    );
    return `${words.join(' and ')} in other places`;
  }
  const names = arrays.flatMap(namesOf);
  return `${recipes[recipe ?? ''] ?? recipe ?? 'changes'} in ${[...new Set(names)].join(', ')}`;
}

/** Adds the inputs to a pass. Underived inputs are no evidence, so a result without any says that first. */
export function withInputs(summary: string, inputs: DerivedInputs): string {
  if (inputs.judged === 0) return `NOT judged on derived inputs: ${whyNone(inputs)}; ${summary}`;
  return `${unmovedWords([inputs])
    .map((words) => `${words}; `)
    .join('')}${summary}; ${inputsWords([inputs])}`;
}

/** Names arrays of --inputs-record that no judged input had in another order: a pass tells nothing of that. */
export function unmovedWords(all: readonly DerivedInputs[]): string[] {
  const unmoved = all.flatMap(({ records = [] }) => records.filter(({ moved_records: moved }) => moved === 0));
  return [
    ...new Set(unmoved.map(({ name, reason }) => `NOT judged with records of ${name} in other places: ${reason}`)),
  ];
}

/** Text such as ", 3 of them with records in other places: 448 of 448 of x". */
function movedWords(all: readonly DerivedInputs[]): string {
  const inputs = all
    .flatMap(({ tried }) => tried)
    .filter(({ verdict, arrays }) => verdict !== 'dropped' && isMoved(arrays));
  if (inputs.length === 0) return '';
  const moved = all.flatMap(({ records = [] }) => records.filter(({ moved_records: count }) => count > 0));
  const counts = moved.map(
    ({ name, records, moved_records: count }) => `${formatCount(count)} of ${formatCount(records)} of ${name}`,
  );
  return `, ${formatCount(inputs.length)} of them with records in other places: ${[...new Set(counts)].join(', ')}`;
}

const isMoved = (arrays: DerivedEvent['arrays']): boolean =>
  arrays.some(({ moved_records: moved }) => (moved ?? 0) > 0);

/**
 * Text such as "judged on the captured input and 8 derived ones, 2 of them with another argument or module variable (2
 * dropped: the captured code faults with it)".
 */
export function inputsWords(all: readonly DerivedInputs[]): string {
  const sum = (of: (inputs: DerivedInputs) => number): number => all.reduce((total, inputs) => total + of(inputs), 0);
  const [judged, dropped] = [sum((inputs) => inputs.judged), sum((inputs) => inputs.dropped)];
  const reasons = reasonsOf(all);
  const others = sum(({ tried }) => tried.filter((input) => input.verdict !== 'dropped' && changesOther(input)).length);
  const beside = others > 0 ? `, ${formatCount(others)} of them with another argument or module variable` : '';
  const why = dropped > 0 ? ` (${formatCount(dropped)} dropped: ${reasons.join('; ')})` : '';
  return `judged on the captured ${all.length > 1 ? 'inputs' : 'input'} and ${formatCount(judged)} derived ${judged === 1 ? 'one' : 'ones'}${beside}${movedWords(all)}${why}`;
}

const changesOther = ({ argument, arrays }: DerivedInputs['tried'][number]): boolean =>
  argument !== undefined || arrays.some(({ variable }) => variable !== undefined);

const reasonsOf = (all: readonly DerivedInputs[]): string[] => [
  ...new Set(
    all.flatMap(({ tried }) => tried.flatMap(({ verdict, reason }) => (verdict === 'dropped' ? (reason ?? []) : []))),
  ),
];

function whyNone(inputs: DerivedInputs): string {
  if (inputs.dropped === 0) return inputs.reason ?? 'nothing that the captured code reads could be changed';
  return `all ${formatCount(inputs.dropped)} that were tried are dropped: ${reasonsOf([inputs]).join('; ')}`;
}

/** Explains which input fails although the captured one passes, and how to repeat it unless the seed is secret. */
export function withFailure(report: Omit<DispatchReport, 'summary'>, inputs: DerivedInputs, isSecret = false): string {
  const { verdict, differing_bytes: differing, compared_bytes: compared, fault } = report;
  const input = inputs.tried.find(({ input }) => input === inputs.failed);
  const what =
    verdict === 'fail'
      ? input?.verdict === 'past_lds'
        ? 'it goes past the end of LDS, which the captured code does not'
        : `${formatCount(differing)} of ${formatCount(compared)} bytes differ from what the captured code makes of it`
      : `${verdict === 'limit' ? 'the replay ran past its limit' : 'the device faulted'}${fault && !isSecret ? `: ${fault}` : ''}`;
  const how = input?.reason === undefined ? '' : `, ${input.reason}`;
  const again = isSecret ? '' : `; that one again: --inputs-only ${inputs.failed} --inputs-seed ${inputs.seed}`;
  return `right for the captured input, wrong for derived input ${inputs.failed} (${input?.changes ?? 'unknown'}${how}): ${what}${again}`;
}
