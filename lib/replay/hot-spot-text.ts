import { formatCount, table } from '../support/report';
import type { Figures, HotInstruction, HotLine, HotSpots } from './hot-spot-json';
import { conflictsOf, scratchBytesOf } from './hot-spots';

/** Rows of the table; --json has all. */
const shownRows = 20;

interface Column {
  title: string;
  value: (figures: Figures) => number;
  show?: (figures: Figures) => string;
}

const columns: Column[] = [
  { title: 'executed', value: ({ executed = 0 }) => executed },
  {
    title: 'lanes',
    value: ({ lanes = 0 }) => lanes,
    show: ({ lanes = 0, vector_executed: executed = 0 }) => (executed > 0 ? (lanes / executed).toFixed(1) : '-'),
  },
  { title: 'transactions', value: ({ memory_transactions: transactions = 0 }) => transactions },
  { title: 'conflicts', value: conflictsOf },
  { title: 'splits', value: ({ splits = 0 }) => splits },
  { title: 'taken', value: ({ taken = 0 }) => taken },
  { title: 'scratch bytes', value: scratchBytesOf },
];

/** Lines of the source where the code has them, else instructions. */
export function hotSpotTable(spots: HotSpots, title: string): string[] {
  const byLine = spots.noLines === null && spots.lines.length > 0;
  const rows: readonly (HotLine | HotInstruction)[] = byLine ? spots.lines : spots.instructions;
  if (rows.length === 0) return [];
  const shown = rows.slice(0, shownRows);
  const used = columns.filter(({ value }) => shown.some(({ figures }) => value(figures) > 0));
  const what = byLine ? 'lines' : 'instructions';
  return [
    `${title}, by ${byLine ? 'source line' : 'instruction'}${spots.noLines === null ? '' : ` (${spots.noLines})`}`,
    ...table([
      [...used.map((column) => column.title), byLine ? 'line' : 'at', byLine ? 'source' : 'instruction'],
      ...shown.map((row) => [...used.map((column) => cell(column, row.figures)), ...wordsOf(row)]),
    ]),
    ...(rows.length > shown.length ? [`… and ${formatCount(rows.length - shown.length)} more ${what} (--json)`] : []),
  ];
}

function cell({ value, show }: Column, figures: Figures): string {
  if (show) return show(figures);
  return value(figures) > 0 ? formatCount(value(figures)) : '-';
}

function wordsOf(row: HotLine | HotInstruction): [string, string] {
  if ('instruction' in row) return [row.offset ?? row.pc, row.instruction];
  return [`${row.file}:${row.line}`, row.text ?? ''];
}
