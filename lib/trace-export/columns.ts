import { closeSync, openSync, readSync } from 'node:fs';
import { KernloopError } from '../support/error';
import { originColumns, type FieldType, type TraceMap } from '../trace/probe-file';

/** A column written by kernloop-trace: a file of little-endian values. */
export interface Column {
  readonly name: string;
  readonly type: FieldType;
  readonly file: string;
}

/** Columns in the order in which kernloop-trace names its files: origin of a record, then its fields. */
export function columnsOf({ fields }: TraceMap, files: readonly string[]): Column[] {
  const named: { name: string; type: FieldType }[] = [
    ...originColumns.map((name) => ({ name, type: 'u64' as const })),
    ...fields,
  ];
  return named.map(({ name, type }, index) => ({ name, type, file: files[index] ?? '' }));
}

/** Rows held at a time: memory stays bounded for traces of any size. */
export const rowsOfBatch = 1 << 18;

export type Values = BigUint64Array | Uint32Array;

/** Reads columns in batches of rows, with one array per column. */
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
