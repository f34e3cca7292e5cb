import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { Field, makeData, RecordBatch, RecordBatchFileWriter, Schema, Struct, Uint32, Uint64 } from 'apache-arrow';
import { batchesOf, type Column, type Values } from './columns';

/** Writes an Arrow IPC file (Feather 2) with one record batch per batch of rows in memory. */
export async function writeArrow(path: string, columns: readonly Column[], rows: number): Promise<void> {
  const schema = new Schema(
    columns.map(({ name, type }) => new Field(name, type === 'u64' ? new Uint64() : new Uint32())),
  );
  const writer = new RecordBatchFileWriter();
  const file = createWriteStream(path);
  const ended = finished(writer.toNodeStream().pipe(file));
  writer.reset(undefined, schema);
  for (const batch of batchesOf(columns, rows)) {
    writer.write(batchOf(schema, batch));
    // Waits for the disk, because buffered bytes take memory, too.
    if (file.writableNeedDrain) await once(file, 'drain');
  }
  writer.finish();
  await ended;
}

function batchOf(schema: Schema, values: readonly Values[]): RecordBatch {
  const children = values.map((data) =>
    data instanceof BigUint64Array ? makeData({ type: new Uint64(), data }) : makeData({ type: new Uint32(), data }),
  );
  const length = values[0]?.length ?? 0;
  return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, nullCount: 0, children }));
}
