import { formatCount, table } from '../support/report';
import type { Figures, HotInstruction, HotLine, HotSpotOrder, HotSpots } from './hot-spot-json';
import { conflictsOf, scratchBytesOf, weights } from './hot-spots';

/** Number of rows shown; --json has all. */
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

const branchColumns: Column[] = [{ title: 'split before', value: ({ split_before: before = 0 }) => before }];

const inWords: Record<HotSpotOrder, string> = {
  executed: 'executed wave-instructions',
  lanes: 'active lanes',
  transactions: 'memory transactions',
  conflicts: 'LDS conflicts',
  splits: 'splits of a wave',
  branches: 'branches that split waves',
  scratch: 'bytes of private memory',
};

/**
 * Shows source lines if the code has line information, otherwise instructions; rows whose count is 0 are left out.
 * Branches are always shown as instructions, because compilers put several on a line.
 */
export function hotSpotTable(spots: HotSpots, title: string): string[] {
  const byLine = spots.no_lines === null && spots.lines.length > 0;
  const byBranch = spots.by === 'branches';
  const what = byLine ? 'source lines' : 'instructions';
  const all: readonly (HotLine | HotInstruction)[] = byLine ? spots.lines : spots.instructions;
  const rows = byBranch ? all : all.filter(({ figures }) => weights[spots.by](figures) > 0);
  const heading = `${title}: ${what} by ${inWords[spots.by]}${spots.no_lines === null ? '' : ` (${spots.no_lines})`}`;
  if (rows.length === 0) return [`${heading}: none has any`];
  const shown = rows.slice(0, shownRows);
  const used = [...columns, ...(byBranch ? branchColumns : [])].filter(({ value }) =>
    shown.some(({ figures }) => value(figures) > 0),
  );
  return [
    heading,
    ...table([
      [
        ...used.map((column) => column.title),
        ...(byLine ? ['line', 'source'] : ['at', 'instruction']),
        ...(byBranch ? ['line'] : []),
      ],
      ...shown.map((row) => [
        ...used.map((column) => cell(column, row.figures)),
        ...wordsOf(row),
        ...(byBranch ? [row.file === null ? '-' : `${row.file}:${row.line}`] : []),
      ]),
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
