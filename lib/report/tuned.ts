import { timeWords } from '../device/emulated-driver';
import { chart, paragraphs, tableOf, type Cell } from '../page/parts';
import { markup, type Html } from '../page/html';
import { tunePlot } from '../tune/plot';
import { tunePaths } from '../tune/paths';
import { tuneResultSchema } from '../tune/result';
import type { CommandOn } from './commands';
import { readLeft } from './left';
import { verdictWord } from './verdicts';

const mostCandidates = 1000;

export async function tunedBody(root: string, command: CommandOn): Promise<Html> {
  const left = readLeft(
    tunePaths(root).result,
    tuneResultSchema,
    'Which configuration is best',
    command('tune', '--set', 'NAME=VALUES'),
  );
  if (left.value === null) return left.why;
  const result = { ...left.value, candidates: left.value.candidates.slice(0, mostCandidates) };
  const names = result.space.parameters.map(({ name }) => name);
  const isCount = result.scoredBy === 'wave_instructions';
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
      one.key === result.best ? 'best' : one.isBase ? 'base' : '',
      ...names.map((name) => String(one.parameters[name] ?? '')),
      (isCount ? one.score?.waveInstructions : one.score?.timeRatio) ?? '',
      one.ratio === null ? '' : { shown: `${one.ratio.toFixed(3)} ×`, sort: one.ratio },
      { shown: verdictWord(one.status), sort: one.status },
      one.reason,
    ]),
  );
  const scored = result.candidates.some(({ score }) => score !== null);
  return markup`${paragraphs([result.reason])}${scored ? await chart(tunePlot(result), `Scores of the ${result.candidates.length} candidates; what is not right has none. The table has the figures.`) : ''}${table}`;
}
