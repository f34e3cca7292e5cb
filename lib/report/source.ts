import { existsSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { absent, formatNumber, moment, tableOf } from '../page/parts';
import type { Html } from '../page/html';
import { breakable, capitalized, markup, shortened } from '../page/html';
import { weights } from '../replay/hot-spots';
import type { HotInstruction, HotSpots } from '../replay/hot-spot-json';
import { keptPaths } from '../reproducer/kept-results';
import { isInside } from '../support/files';
import type { CommandOn } from './commands';
import { readKept } from './kept';
import { lacking, type Body } from './left';
import { figureCell, gapRow, sourceTable } from './source-table';
import { stale } from './timing';
import { readRegularFile } from '../support/regular-file';

/** Activity of each line beside the source; the instructions of a line are folded below it. */
export function hotSpotsBody(root: string, current: string | null, command: CommandOn): Body {
  const again = command('replay', '--hot-spots');
  const left = readKept(keptPaths(root).hotSpots, 'Which lines do most', again);
  if (left.value === null) return lacking(left);
  const { at, codeObject, result } = left.value;
  const spots = result.hotSpots;
  if (!spots) return absent('The last replay told no hot spots; this does:', again);
  return markup`<p class="muted">
      ${capitalized(result.code)}, counted ${moment(at)}: ${measures[spots.by]}. Counts of the software GPU are not times.
    </p>
    ${stale(codeObject, current)}
    ${spots.noLines === null ? linesOf(root, spots) : markup`${absent(`There are no lines: ${spots.noLines}.`)}${instructions(spots.instructions, spots)}`}`;
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
  return markup`${files.slice(0, mostFiles).map((file) => sourceOf(root, file, spots))}${files.length > mostFiles ? markup`<p class="muted">${files.length - mostFiles} more files are not on this page.</p>` : ''}`;
}

const mostFiles = 8;
/** Lines of context around active ones. */
const around = 6;
const mostLines = 1200;

function sourceOf(root: string, file: string, spots: HotSpots): Html {
  const weight = weights[spots.by];
  const hot = new Map(spots.lines.filter((one) => one.file === file).map((one) => [one.line, one]));
  const total = Math.max(
    1,
    spots.lines.reduce((sum, { figures }) => sum + weight(figures), 0),
  );
  const text = textOf(root, file);
  const numbers = numbersOf([...hot.keys()], text?.length ?? 0);
  const rows = numbers.map((number, index) => {
    const line = hot.get(number);
    const code = markup`<span class="line">${shortened(text?.[number - 1] ?? line?.text ?? (line ? '(its text is not known)' : ''), 300)}</span>`;
    const gap = index > 0 && numbers[index - 1] !== number - 1 ? gapRow(3) : '';
    if (!line)
      return markup`${gap}
        <tr>
          <td class="n muted">${number}</td>
          ${figureCell('share', '')}
          <td class="code">${code}</td>
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
            <summary>${code}</summary>
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
    })}`;
}

function numbersOf(hot: readonly number[], length: number): number[] {
  const wanted = new Set<number>();
  for (const line of hot) {
    if (length === 0) wanted.add(line);
    for (let near = Math.max(1, line - around); near <= Math.min(length, line + around); near++) wanted.add(near);
  }
  return [...wanted].sort((a, b) => a - b).slice(0, mostLines);
}

const levelOf = (share: number): number =>
  share >= 0.2 ? 4 : share >= 0.08 ? 3 : share >= 0.02 ? 2 : share > 0 ? 1 : 0;

const maxFileBytes = 4 << 20;

/**
 * Reads only files inside the reproducer: a code object may name any file of this machine, and the page is sent to
 * others.
 */
export function textOf(root: string, file: string): string[] | null {
  const path = join(root, file);
  if (!existsSync(path)) return null;
  const real = realpathSync(path);
  const { size } = statSync(real);
  if (!isInside(realpathSync(root), real) || !statSync(real).isFile() || size > maxFileBytes) return null;
  return readRegularFile(real, 'utf8').split('\n');
}

const mostInstructions = 200;

function instructions(all: readonly HotInstruction[], spots: HotSpots): Html {
  const weight = weights[spots.by];
  const shown = all.slice(0, mostInstructions);
  if (spots.noLines !== null)
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
