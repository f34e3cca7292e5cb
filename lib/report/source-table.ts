import { markup, type Html, type Piece } from '../page/html';

interface SourceTable {
  /** Label for screen readers. */
  label: string;
  caption: string;
  columns: readonly { name: string; isNumber: boolean }[];
  rows: readonly Html[];
}

/** Figure of a line. On a phone it follows the line, after the head of its column. */
export const figureCell = (head: string, shown: Piece, isNumber = true): Html =>
  markup`<td class="${isNumber ? 'n ' : ''}figure" data-head="${head}">${shown}</td>`;

/** Place between lines that are left out. */
export const gapRow = (columns: number): Html =>
  markup`<tr class="gap" aria-hidden="true">
    ${Array.from({ length: columns - 1 }, () => markup`<td></td>`)}
    <td class="muted">…</td>
  </tr> `;

/** Lines of a source file, with its own scroll bar if they are long. */
export function sourceTable({ label, caption, columns, rows }: SourceTable): Html {
  const heads = columns.map(({ name, isNumber }) =>
    isNumber ? markup`<th scope="col" class="n">${name}</th>` : markup`<th scope="col">${name}</th>`,
  );
  return markup`<div class="wide" tabindex="0" role="group" aria-label="${label}">
      <table class="source">
        <caption>
          ${caption}
        </caption>
        <thead>
          <tr>
            ${heads}
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>`;
}
