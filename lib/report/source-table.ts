import { markup, type Html } from '../page/html';

interface SourceTable {
  /** Label for screen readers. */
  label: string;
  caption: string;
  columns: readonly { name: string; isNumber: boolean }[];
  rows: readonly Html[];
}

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
