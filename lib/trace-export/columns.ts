import { closeSync, openSync, readSync } from 'node:fs';
import { KernloopError } from '../support/error';
import { originColumns, type FieldType, type TraceMap } from '../trace/probe-file';

/** A column as kernloop-trace wrote it: a file of little-endian values. */
export interface Column {
  readonly name: string;
  readonly type: FieldType;
  readonly file: string;
}

/** In the order in which kernloop-trace names its files: where a record comes from, then its fields. */
export function columnsOf({ fields }: TraceMap, files: readonly string[]): Column[] {
  const named: { name: string; type: FieldType }[] = [
    ...originColumns.map((name) => ({ name, type: 'u64' as const })),
    ...fields,
  ];
  return named.map(({ name, type }, index) => ({ name, type, file: files[index] ?? '' }));
}

/** So many rows are held at a time, whatever the size of the trace. */
export const rowsOfBatch = 1 << 18;

export type Values = BigUint64Array | Uint32Array;

/** The columns in batches of rows, each an array a column. */
export function* batchesOf(columns: readonly Column[], rows: number): Generator<Values[]> {
  const files = columns.map(({ file }) => openSync(file, 'r'));
  try {
    for (let first = 0; first < rows; first += rowsOfBatch) {
      const count = Math.min(rowsOfBatch, rows - first);
      yield columns.map((column, index) => readValues(column, files[index] ?? -1, count));
    }
  } finally {
    for (const file of files) closeSync(file);
  }
}

function readValues({ type, file: path }: Column, file: number, count: number): Values {
  const values = type === 'u64' ? new BigUint64Array(count) : new Uint32Array(count);
  const bytes = new Uint8Array(values.buffer);
  for (let at = 0; at < bytes.length;) {
    const read = readSync(file, bytes, at, bytes.length - at, null);
    if (read === 0)
      throw new KernloopError(
        'IO_ERROR',
        `${path} ends before its rows do`,
        'check the disk: `df -h` shows its free space, `dmesg` its errors',
      );
    at += read;
  }
  return values;
}
