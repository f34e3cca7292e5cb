import type { Selfcheck } from '../archive/capture-files';
import type { RecordLength } from '../replay/program';
import type { DispatchReport } from './report-json';

type ShortRecord = NonNullable<DispatchReport['short_records']>[number];

/** Record lengths that the user gives below one that the self-check found: fields that belong together are then judged apart. */
export function shortRecordsOf(given: readonly RecordLength[], { varying }: Pick<Selfcheck, 'varying'>): ShortRecord[] {
  return given.flatMap(({ target, offset, size, bytes }) => {
    const found = varying.flatMap(({ region, variable, records = [] }) =>
      (region ?? variable) === target
        ? records.flatMap((one) =>
            one.offset < offset + size && offset < one.offset + one.bytes * one.count ? [one.bytes] : [],
          )
        : [],
    );
    const most = Math.max(0, ...found);
    return bytes < most ? [{ target, bytes, found_bytes: most }] : [];
  });
}

/** Text before everything else: such a pass holds for parts of records alone. */
export function shortRecordWords(reports: readonly Pick<DispatchReport, 'short_records'>[]): string[] {
  const all = reports.flatMap(({ short_records: short = [] }) => short);
  const words = all.map(
    ({ target, bytes, found_bytes: found }) =>
      `NOT judged: which parts of records of ${found} bytes in ${target} belong together (--record or record_bytes gives ${bytes})`,
  );
  return [...new Set(words)];
}
