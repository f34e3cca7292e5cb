import { basename } from 'node:path';
import { counted } from '../support/format';
import { formatBytes, formatCount, table, type Reporter } from '../support/report';
import type { ReadDmat, ReadFile, TraceReadResult } from './result';

/** Prints the trace for people: probes, their cost, and a row for every column. */
export function printTrace(trace: TraceReadResult, report: Reporter): void {
  const say = (line: string): void => report.result(line);
  const { process, probe, log, kernels, results, dmats } = trace;
  say(
    `${trace.path}${process ? `: process ${process.pid}, started ${process.month} ${process.day} ${process.time}` : ''}`,
  );
  for (const map of probe?.maps ?? []) {
    const fields = map.fields.map(({ name, type }) => `${name} ${type}`).join(', ');
    say(
      `map ${map.name}: ${map.capacity === 'dynamic' ? 'as many as the program counts' : formatCount(map.capacity)} a ${map.level}: ${fields}`,
    );
    if (map.is_misread_by_neutrino) {
      report.warn(
        `map ${map.name} declares a u32 before a u64: probes write u64 first, and Neutrino's own reader takes one for the other`,
      );
    }
  }
  for (const kernel of kernels) {
    const registers = kernel.registers === null ? '' : `, ${kernel.registers} registers`;
    say(
      `kernel ${kernel.name ?? kernel.folder}${registers}${kernel.is_name_of_folder === false ? ' (the folder is of another name)' : ''}`,
    );
  }
  if (log) printLog(log, report);
  for (const file of results) printFile(file, report);
  for (const file of dmats) printDmat(file, report);
}

function printLog(log: NonNullable<TraceReadResult['log']>, report: Reporter): void {
  const { ratio, slowdown, launches } = log.overhead;
  const cost = [
    ...(ratio === null ? [] : [`launches under probes took ${ratio.toFixed(1)} times the kernel's own time`]),
    ...(slowdown === null ? [] : [`probes slow the kernel ${slowdown.toFixed(2)} times`]),
  ];
  report.result(
    `event.log: ${counted(log.events, 'event')}, ${counted(log.launches.length, 'launch', 'launches')}${cost.length > 0 ? `; of ${launches} timed: ${cost.join(', ')}` : ''}`,
  );
  for (const { line, text } of log.unknown.slice(0, 5))
    report.warn(`event.log line ${line} is of no known form: ${text.slice(0, 120)}`);
  if (log.unknown.length > 5) report.warn(`event.log has ${log.unknown.length - 5} more lines of no known form`);
}

function printFile(file: ReadFile, report: Reporter): void {
  const launch = file.grid && file.block ? `, grid ${file.grid.join('x')}, block ${file.block.join('x')}` : '';
  report.result(
    `${basename(file.file)}: ${formatBytes(file.bytes)}${file.dialect ? `, dialect ${file.dialect}` : ''}${launch}`,
  );
  if (file.error) {
    warnOf(file, file.error, report);
    return;
  }
  if (file.sections.some(({ is_ragged: isRagged }) => isRagged)) {
    report.warn(
      `${basename(file.file)}: blocks are no multiple of a warp: the record of a block's last warp lies where the first one of the next block wrote`,
    );
  }
  const rows = file.maps.flatMap((map) =>
    map.columns.map((column) => [
      `${map.name}.${column.name}`,
      formatCount(map.rows),
      formatCount(column.nonzero),
      BigInt(column.least).toString(),
      BigInt(column.most).toString(),
      BigInt(column.sum).toString(),
    ]),
  );
  if (rows.length > 0)
    for (const line of table([['column', 'rows', 'not 0', 'least', 'most', 'sum'], ...rows])) report.result(line);
}

function printDmat(dmat: ReadDmat, report: Reporter): void {
  const { file, bytes, pages, clocks, accesses, first_clock: firstClock, last_clock: lastClock, error } = dmat;
  if (error) {
    report.result(`${basename(file)}: ${formatBytes(bytes)}`);
    warnOf(dmat, error, report);
    return;
  }
  report.result(
    `${basename(file)}: ${formatBytes(bytes)}, ${formatCount(accesses ?? 0)} accesses of ${formatCount(pages ?? 0)} pages of 64 KiB at ${formatCount(clocks ?? 0)} clocks, ${BigInt(firstClock ?? 0)} to ${BigInt(lastClock ?? 0)}`,
  );
}

function warnOf(
  { file }: { file: string },
  { code, message, hint }: NonNullable<ReadFile['error']>,
  report: Reporter,
): void {
  report.warn(`${basename(file)}: ${message} [${code}]; ${hint}`);
}
