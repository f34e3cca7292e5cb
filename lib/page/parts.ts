import type { TopLevelSpec } from 'vega-lite';
import { renderForPage } from '../plot/svg';
import { coded, commandCode, markup, Html, shortened, type Piece } from './html';

/** Text of the cell, and its sort key if that differs. */
export type Cell = string | number | Html | { readonly shown: Piece; readonly sort: string | number };

/** Maximum number of table rows in a page. */
const mostRows = 500;

/** A table that can be sorted by its heads and filtered. Columns of numbers are right-aligned. */
export function tableOf(caption: string, allHeads: readonly string[], rows: readonly (readonly Cell[])[]): Html {
  // A column without any content says nothing.
  const isFilled = allHeads.map((_, column) => rows.length === 0 || rows.some((row) => (row[column] ?? '') !== ''));
  const heads = allHeads.filter((_, column) => isFilled[column]);
  const shown = rows.slice(0, mostRows).map((row) => row.filter((_, column) => isFilled[column]));
  const isNumber = heads.map((_, column) => shown.length > 0 && shown.every((row) => isFigure(row[column] ?? '')));
  const kind = (column: number): Html => new Html(isNumber[column] ? ' class="n"' : '');
  const cell = (one: Cell, column: number): Html => {
    // On a phone a row is a list, in which each value follows the head of its column.
    const head = markup`data-head="${heads[column] ?? ''}"`;
    if (typeof one === 'number') return markup`<td class="n" ${head} data-sort="${one}">${formatNumber(one)}</td>`;
    if (typeof one === 'string') {
      const short = !isNumber[column] && one.length <= mostUnbroken ? new Html(' class="s"') : kind(column);
      return markup`<td${short} ${head}>${shortened(one, 600)}</td>`;
    }
    if (one instanceof Html) return markup`<td ${head}>${one}</td>`;
    return markup`<td${kind(column)} ${head} data-sort="${one.sort}">${one.shown}</td>`;
  };
  return markup`<div class="wide" tabindex="0" role="group" aria-label="${caption}">
      <table class="data">
        <caption>
          ${caption}
        </caption>
        <thead>
          <tr>
            ${heads.map((head, column) => markup`<th scope="col" ${kind(column)}>${head}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${shown.map(
            (row) =>
              markup`<tr>
                ${row.map(cell)}
              </tr> `,
          )}
        </tbody>
      </table>
    </div>
    ${rows.length > shown.length ? markup`<p class="muted">${formatNumber(rows.length - shown.length)} more rows are not on this page.</p>` : ''}`;
}

/** Longest text that a screen never breaks: beside long text, its column would be a letter wide. */
const mostUnbroken = 24;

const isFigure = (cell: Cell): boolean =>
  typeof cell === 'number' ||
  cell === '' ||
  (typeof cell === 'object' && !(cell instanceof Html) && typeof cell.sort === 'number');

/** Formats a number with just enough digits to tell values apart. */
export const formatNumber = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) < 1e15
    ? value.toLocaleString('en-US')
    : String(Number(value.toPrecision(6)));

/** A plot as a picture with `words` as its description; a table or `words` gives its content as text. */
export async function chart(spec: TopLevelSpec, words: string): Promise<Html> {
  const { wide, narrow } = await renderForPage(spec);
  const label = markup`<svg role="img" aria-label="${shortened(words, 400)}" `.text;
  const picture = (svg: string): Html => new Html(svg.replace('<svg ', () => label));
  return markup`<figure>
    ${wide.length > mostTwice ? picture(wide) : markup`<div class="on-screen">${picture(wide)}</div><div class="on-phone">${picture(narrow)}</div>`}
    <figcaption>${shortened(words, 800)}</figcaption>
  </figure>`;
}

/** Largest plot that is in a page twice, for screens and for phones; a larger one is scaled down on a phone. */
const mostTwice = 200_000;

/** A moment in UTC, to the second, which never breaks across lines; text that is no moment stays as it is. */
export function moment(at: string): Html {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return markup`${at}`;
  const [date = '', clock = ''] = time.toISOString().split(/[T.]/);
  return markup`<time datetime="${time.toISOString()}">${date} ${clock} UTC</time>`;
}

export const facts = (rows: readonly (readonly [string, Piece])[]): Html =>
  markup`<dl class="facts">
    ${rows.map(
      ([name, value]) =>
        markup`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;

/** Placeholder for an empty chart: names the missing data and the command that would provide it. */
export const absent = (what: string, command?: string): Html =>
  markup`<p class="absent">${coded(what)}${command === undefined ? '' : markup` ${commandCode(command)}`}</p>`;

export const paragraphs = (lines: readonly string[]): Html =>
  markup`${lines.map((line) => markup`<p>${coded(line)}</p>`)}`;
