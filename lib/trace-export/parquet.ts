import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import { batchesOf, rowsOfBatch, type Column, type Values } from './columns';

/** Writes a Parquet file with unsigned columns and one row group per batch of rows in memory. */
export async function writeParquet(path: string, columns: readonly Column[], rows: number): Promise<void> {
  const writer = fileWriter(path);
  const schema = [
    { name: 'record', num_children: columns.length },
    ...columns.map(({ name, type }) => ({
      name,
      type: type === 'u64' ? ('INT64' as const) : ('INT32' as const),
      converted_type: type === 'u64' ? ('UINT_64' as const) : ('UINT_32' as const),
      repetition_type: 'REQUIRED' as const,
    })),
  ];
  // No minimum and maximum statistics: the library compares them as signed numbers.
  const parquet = new ParquetWriter({ writer, schema, statistics: false, createdBy: 'kernloop' });
  for (const batch of batchesOf(columns, rows)) {
    const columnData = columns.map(({ name }, index) => ({ name, data: accepted(batch[index] ?? new Uint32Array()) }));
    await parquet.write({ columnData, rowGroupSize: rowsOfBatch });
  }
  await parquet.finish();
}

/** The library rejects the upper half of unsigned 32-bit numbers in typed arrays, but accepts them in lists. */
function accepted(values: Values): BigUint64Array | number[] {
  return values instanceof BigUint64Array ? values : Array.from(values);
}
