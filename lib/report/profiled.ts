import { existsSync } from 'node:fs';
import { absent, chart, formatNumber, paragraphs, tableOf, type Cell } from '../page/parts';
import { breakable, capitalized, markup, shortened, type Html } from '../page/html';
import { buildWords, pgoPaths } from '../pgo/layout';
import { isSaid } from '../pgo/refusals';
import { profileOf } from '../pgo-show/show';
import type { PgoShowResult, ShownLine } from '../pgo-show/result';
import { chosenVariantSchema } from '../pgo-use/result';
import type { Reproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import type { CommandOn } from './commands';
import { readLeft, type Body } from './left';
import { textOf } from './source-text';
import { figureCell, gapRow, sourceTable } from './source-table';
import { verdictWord } from './verdicts';

/** Counts of source blocks, with the lanes that reached them together, and the variants built from this profile. */
export async function profiledBody(reproducer: Reproducer, command: CommandOn): Promise<Body> {
  const paths = pgoPaths(reproducer.root);
  if (!existsSync(paths.waves)) return { commands: ['pgo-generate', 'pgo-merge'].map((verb) => command(verb)) };
  return markup`${blocks(reproducer)}${await choice(paths.choice, command)}`;
}

function blocks(reproducer: Reproducer): Html {
  let shown: PgoShowResult;
  try {
    shown = profileOf(reproducer, { spills: undefined, all: false });
  } catch (error) {
    if (!(error instanceof KernloopError)) throw error;
    return absent(`The profile cannot be shown: ${error.what}.`, error.hint);
  }
  const most = Math.max(1, ...shown.lines.map(({ lanes }) => lanes ?? 0));
  // Files of the reproducer, whose text is known, come first.
  const files = [...new Set(shown.lines.map(({ file }) => file))].sort(
    (a, b) => Number(textOf(reproducer.root, a) === null) - Number(textOf(reproducer.root, b) === null),
  );
  return markup`<p class="muted">
      Waves of ${shown.wave_size} lanes on ${shown.arch}; ${shown.sampling === 'all' ? 'every wave counted' : `counted: ${shown.sampling}`}. Uniform: nearly all lanes that were at
      the branch before came together; diverging: they did not.
    </p>
    ${files.slice(0, mostFiles).map((file) => blockLines(reproducer.root, file, shown.lines, most))}`;
}

const mostFiles = 8;
const around = 3;

function blockLines(root: string, file: string, lines: readonly ShownLine[], most: number): Html {
  const own = new Map(lines.filter((one) => one.file === file).map((one) => [one.line, one]));
  const text = textOf(root, file);
  const wanted = new Set(
    [...own.keys()].flatMap((line) => Array.from({ length: 2 * around + 1 }, (_, index) => line - around + index)),
  );
  const numbers = [...wanted]
    .filter((line) => own.has(line) || (line >= 1 && line <= (text?.length ?? 0)))
    .sort((a, b) => a - b)
    .slice(0, 1200);
  const rows = numbers.map((number, index) => {
    const gap = index > 0 && numbers[index - 1] !== number - 1 ? gapRow(6) : '';
    const one = own.get(number);
    const code = markup`<span class="line">${shortened(text?.[number - 1] ?? one?.text ?? (one ? '(its text is not known)' : ''), 300)}</span>`;
    const share = (one?.lanes ?? 0) / most;
    const level =
      !one || one.lanes === null || one.lanes === 0 ? 0 : share > 0.5 ? 4 : share > 0.1 ? 3 : share > 0.01 ? 2 : 1;
    const figure = (value: number | null | undefined): string =>
      value === null || value === undefined ? '' : formatNumber(value);
    const spills =
      one && one.spill_store_dwords + one.spill_load_dwords > 0
        ? `${one.spill_store_dwords} + ${one.spill_load_dwords}`
        : '';
    return markup`${gap}<tr class="l${level}">
      <td class="n">${number}</td>
      ${figureCell('waves', figure(one?.waves))} ${figureCell('lanes', figure(one?.lanes))}
      ${figureCell('branch', branchWord(one), false)} ${figureCell('spilled dwords', spills)}
      <td class="code">${code}</td>
    </tr> `;
  });
  return markup`<h3>${breakable(file)}</h3>
    ${sourceTable({
      label: `Blocks of ${file}`,
      caption: 'The busiest block of each line',
      columns: [
        { name: 'line', isNumber: true },
        { name: 'waves', isNumber: true },
        { name: 'lanes', isNumber: true },
        { name: 'branch', isNumber: false },
        { name: 'spilled dwords', isNumber: true },
        { name: 'source', isNumber: false },
      ],
      rows,
    })}`;
}

function branchWord(one: ShownLine | undefined): string {
  if (!one || one.uniform_share === null || one.letter === null) return '';
  return one.letter === 'U' ? 'uniform' : 'diverging';
}

async function choice(path: string, command: CommandOn): Promise<Html> {
  const left = readLeft(
    path,
    chosenVariantSchema,
    'Which build by this profile is best',
    `${command('pgo-build')} && ${command('pgo-use')}`,
  );
  if (left.value === null) return left.why;
  const { variants, reason, captured, kept } = left.value;
  const isCount = captured.wave_instructions !== null;
  const score = (one: { wave_instructions: number | null; time_ratio: number | null }): number | null =>
    one.wave_instructions ?? one.time_ratio;
  const values = [
    { name: 'captured', score: score(captured) ?? 1 },
    ...variants.flatMap((one) => (score(one) === null ? [] : [{ name: one.name, score: score(one) }])),
  ];
  const title = isCount ? 'executed wave-instructions' : 'time over that of the captured code';
  const picture = await chart(
    {
      width: 560,
      height: { step: 20 },
      data: { values },
      mark: 'bar',
      encoding: {
        x: { field: 'score', type: 'quantitative', title },
        y: { field: 'name', type: 'nominal', title: null, sort: null },
      },
    },
    `${capitalized(title)} of the captured code and of ${variants.length} builds; kept: ${kept === null ? 'none' : buildWords(kept)}.`,
  );
  const table = tableOf(
    'Builds by the profile',
    ['build', 'verdict', title, 'spilled dwords', 'judgement'],
    variants.map((one): Cell[] => [
      one.name,
      { shown: verdictWord(one.verdict), sort: one.verdict },
      score(one) ?? '',
      one.spill_dwords ?? '',
      one.judgement,
    ]),
  );
  const isInTable = kept === null && variants.every((one) => one.name === 'base' || isSaid(one.judgement, reason));
  const why = isInTable ? 'Nothing is kept: the judgement of each build is in the table.' : `${capitalized(reason)}.`;
  return markup`${paragraphs([why])}${picture}${table}`;
}
