import { absent, formatNumber, moment, tableOf } from '../page/parts';
import type { Html } from '../page/html';
import { breakable, capitalized, markup, shortened } from '../page/html';
import { weights } from '../replay/hot-spots';
import type { HotInstruction, HotSpots } from '../replay/hot-spot-json';
import { keptPaths } from '../reproducer/kept-results';
import { counted } from '../support/format';
import type { CommandOn } from './commands';
import { editedFiles, type EditedFile } from './edited-files';
import { readKept } from './kept';
import { lacking, type Body } from './left';
import { figureCell, gapRow, sourceTable } from './source-table';
import { textOf } from './source-text';
import { stale } from './timing';

/** Activity of each line beside the source; the instructions of a line are folded below it. */
export function hotSpotsBody(root: string, current: string | null, command: CommandOn): Body {
  const again = command('replay', '--hot-spots');
  const left = readKept(keptPaths(root).hotSpots, 'Which lines do most', again);
  if (left.value === null) return lacking(left);
  const { at, codeObject, result } = left.value;
  const spots = result.hot_spots;
  if (!spots) return absent('The last replay told no hot spots; this does:', again);
  return markup`<p class="muted">
      ${capitalized(result.code)}, counted ${moment(at)}: ${measures[spots.by]}. Counts of the software GPU are not times.
    </p>
    ${stale(codeObject, current)}
    ${spots.no_lines === null ? linesOf(root, spots) : markup`${absent(`There are no lines: ${spots.no_lines}.`)}${instructions(spots.instructions, spots)}`}`;
}

/** Unit of the figures of each order. */
const measures: Record<HotSpots['by'], string> = {
  executed: 'executed wave-instructions',
  lanes: 'active lanes',
  transactions: 'memory transactions',
  conflicts: 'conflicts in LDS',
  splits: 'diverging branches',
  branches: 'branches that split waves',
  scratch: 'bytes of scratch memory',
};

function linesOf(root: string, spots: HotSpots): Html {
  const files = [...new Set(spots.lines.map(({ file }) => file))];
  const shown = files.slice(0, mostFiles);
  const more = files.length - shown.length;
  const edited = editedFiles(root);
  return markup`${shown.map((file) => sourceOf(root, file, spots, edited))}${more > 0 ? markup`<p class="muted">${more} more files are not on this page.</p>` : ''}${editedElsewhere(edited, shown)}`;
}

/** Edited lines of files that are not on the page, because nothing was counted in them. */
function editedElsewhere(edited: readonly EditedFile[], shown: readonly string[]): Html {
  const others = edited.filter(({ file }) => !shown.includes(file));
  return markup`${others.map(
    ({ file, lines }) =>
      markup`<p class="muted">
        ${counted(lines.length, 'edited line')} of ${breakable(file)} ${lines.length === 1 ? 'is' : 'are'} not in this
        view: ${lines.slice(0, mostPlaces).join(', ')}${lines.length > mostPlaces ? ', …' : ''}.
      </p>`,
  )}`;
}

const mostPlaces = 8;

const mostFiles = 8;
/** Lines of context around active ones. */
const around = 6;
const mostLines = 1200;

function sourceOf(root: string, file: string, spots: HotSpots, changed: readonly EditedFile[]): Html {
  const weight = weights[spots.by];
  const hot = new Map(spots.lines.filter((one) => one.file === file).map((one) => [one.line, one]));
  const total = Math.max(
    1,
    spots.lines.reduce((sum, { figures }) => sum + weight(figures), 0),
  );
  const text = textOf(root, file);
  const edited = new Set(changed.find((one) => one.file === file)?.lines);
  const all = numbersOf([...hot.keys()], [...edited], text?.length ?? 0);
  const numbers = all.slice(0, mostLines);
  const left = all.slice(mostLines).filter((number) => edited.has(number)).length;
  const rows = numbers.map((number, index) => {
    const line = hot.get(number);
    const code = markup`<span class="line">${shortened(text?.[number - 1] ?? line?.text ?? (line ? '(its text is not known)' : ''), 300)}</span>`;
    const gap = index > 0 && numbers[index - 1] !== number - 1 ? gapRow(3) : '';
    const mark = edited.has(number) ? markup` <span class="edited">edited</span>` : '';
    if (!line)
      return markup`${gap}
        <tr>
          <td class="n muted">${number}</td>
          ${figureCell('share', '')}
          <td class="code">${code}${mark}</td>
        </tr> `;
    const share = weight(line.figures) / total;
    const own = spots.instructions.filter((one) => one.file === file && one.line === number);
    const figures = Object.entries(line.figures)
      .map(([name, value]) => `${name.replaceAll('_', ' ')} ${formatNumber(value)}`)
      .join(', ');
    return markup`${gap}
      <tr class="l${levelOf(share)}">
        <td class="n">${number}</td>
        ${figureCell('share', `${(100 * share).toFixed(1)} %`)}
        <td class="code">
          <details>
            <summary>${code}${mark}</summary>
            <p>${figures}</p>
            ${instructions(own, spots)}
          </details>
        </td>
      </tr> `;
  });
  return markup`<h3>${breakable(file)}</h3>
    ${text === null ? markup`<p class="muted">The file is not in the reproducer: only the lines that did something are known.</p>` : ''}
    ${sourceTable({
      label: `Source of ${file}`,
      caption: `Share of ${measures[spots.by]} by line; a line unfolds its instructions.`,
      columns: [
        { name: 'line', isNumber: true },
        { name: 'share', isNumber: true },
        { name: 'source', isNumber: false },
      ],
      rows,
    })}
    ${left > 0 ? markup`<p class="muted">${counted(left, 'edited line')} of this file ${left === 1 ? 'is' : 'are'} not in this view.</p>` : ''}`;
}

/** Numbers of lines to show: those with figures and their neighbours, and edited ones, in which nothing may have run. */
function numbersOf(hot: readonly number[], edited: readonly number[], length: number): number[] {
  const wanted = new Set<number>();
  for (const line of hot) {
    if (length === 0) wanted.add(line);
    for (let near = Math.max(1, line - around); near <= Math.min(length, line + around); near++) wanted.add(near);
  }
  for (const line of edited) wanted.add(line);
  return [...wanted].sort((a, b) => a - b);
}

const levelOf = (share: number): number =>
  share >= 0.2 ? 4 : share >= 0.08 ? 3 : share >= 0.02 ? 2 : share > 0 ? 1 : 0;

const mostInstructions = 200;

function instructions(all: readonly HotInstruction[], spots: HotSpots): Html {
  const weight = weights[spots.by];
  const shown = all.slice(0, mostInstructions);
  if (spots.no_lines !== null)
    return tableOf(
      'Instructions, the heaviest first',
      ['at', 'instruction', spots.by],
      shown.map((one) => [
        one.offset ?? one.pc,
        markup`<code>${shortened(one.instruction)}</code>`,
        weight(one.figures),
      ]),
    );
  return markup`<table>
      <thead>
        <tr>
          <th scope="col">at</th>
          <th scope="col">instruction</th>
          <th scope="col" class="n">${spots.by}</th>
        </tr>
      </thead>
      <tbody>
        ${shown.map(
          (one) =>
            markup`<tr>
              <td>${one.offset ?? one.pc}</td>
              <td>${shortened(one.instruction)}</td>
              <td class="n">${formatNumber(weight(one.figures))}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${all.length > shown.length ? markup`<p class="muted">and ${all.length - shown.length} more</p>` : ''}`;
}
