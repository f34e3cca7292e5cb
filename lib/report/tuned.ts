import { timeWords } from '../device/emulated-driver';
import { chart, paragraphs, tableOf, type Cell } from '../page/parts';
import { capitalized, markup } from '../page/html';
import { tunePlot } from '../tune/plot';
import { tunePaths } from '../tune/paths';
import { tuneResultSchema, type Candidate, type TuneResult } from '../tune/result';
import { describeScore } from '../tune/text';
import type { CommandOn } from './commands';
import { lacking, readLeft, type Body } from './left';
import { verdictWord } from './verdicts';

const mostCandidates = 1000;

export async function tunedBody(root: string, command: CommandOn): Promise<Body> {
  const left = readLeft(
    tunePaths(root).result,
    tuneResultSchema,
    'Which configuration is best',
    command('tune', '--set', 'NAME=VALUES'),
  );
  if (left.value === null) return lacking(left);
  const result = { ...left.value, candidates: left.value.candidates.slice(0, mostCandidates) };
  const names = result.space.parameters.map(({ name }) => name);
  const isCount = result.scored_by === 'wave_instructions';
  const { common, rest } = sharedReasons(result.candidates);
  const table = tableOf(
    'Candidates, the best first',
    [
      'which',
      ...names,
      isCount ? 'wave-instructions' : `${timeWords(result.device, 'time')} over captured`,
      'of the base',
      'verdict',
      'why',
    ],
    result.candidates.map((one): Cell[] => [
      one.key === result.best ? 'best' : one.is_base ? 'base' : '',
      ...names.map((name) => parameterCell(one.parameters[name])),
      (isCount ? one.score?.wave_instructions : one.score?.time_ratio) ?? '',
      one.ratio === null ? '' : { shown: `${one.ratio.toFixed(3)} ×`, sort: one.ratio },
      { shown: verdictWord(one.status), sort: one.status },
      rest(one),
    ]),
  );
  const scored = result.candidates.some(({ score }) => score !== null);
  return markup`${paragraphs([`${capitalized(result.reason)}.`, ...capturedWords(result), ...(common === '' ? [] : [`Of each candidate that passes: ${common}.`])])}${scored ? await chart(tunePlot(result), `Scores of the ${result.candidates.length} candidates; what is not right has none. The table has the figures.`) : ''}${table}`;
}

/** The score that the dashed line of the plot shows. */
const capturedWords = ({ captured }: Pick<TuneResult, 'captured'>): string[] =>
  captured === null
    ? []
    : [
        `The captured code: ${describeScore(captured).trim()}${captured.wave_instructions === null ? '' : ' wave-instructions'}.`,
      ];

const parameterCell = (value: string | number | boolean | undefined): Cell =>
  typeof value === 'number' ? { shown: String(value), sort: value } : String(value ?? '');

/** Parts of the reasons that all passing candidates have, once; and the rest of each reason. */
function sharedReasons(candidates: readonly Candidate[]): { common: string; rest: (one: Candidate) => string } {
  const passing = candidates.filter(({ status }) => status === 'pass').map(({ reason }) => reason.split('; '));
  const [first = []] = passing;
  const common = passing.length < 2 ? [] : first.filter((part) => passing.every((parts) => parts.includes(part)));
  const rest = ({ status, reason }: Candidate): string =>
    status === 'pass'
      ? reason
          .split('; ')
          .filter((part) => !common.includes(part))
          .join('; ')
      : reason;
  return { common: common.join('; '), rest };
}
