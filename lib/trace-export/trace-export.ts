import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Deps } from '../deps/deps';
import { formatCount } from '../support/report';
import { neededProbe, neededResults, openTrace } from '../trace/open-trace';
import type { ProbeFile } from '../trace/probe-file';
import { eventsOf, recordArguments, runTrace } from '../trace/trace-program';
import { writeArrow } from './arrow';
import { columnsOf } from './columns';
import type { TraceExportOptions } from './options';
import { writeParquet } from './parquet';
import type { TraceExportResult } from './result';

/** Writes every map of every result file; nothing half-written stays. */
export async function traceExport(options: TraceExportOptions, deps: Deps): Promise<TraceExportResult> {
  const opened = openTrace(options.trace, options.probe);
  const probe = neededProbe(opened);
  const output = resolve(options.output);
  mkdirSync(output, { recursive: true });
  const files: TraceExportResult['files'] = [];
  for (const { path } of neededResults(opened)) {
    // Beside the files that come of it: columns may be as large as the trace.
    const scratch = mkdtempSync(join(output, '.kernloop-trace-'));
    try {
      files.push(...(await exportFile(path, probe, output, scratch, options, deps)));
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  for (const { file, rows } of files) deps.report.result(`${file}: ${formatCount(rows)} rows`);
  return { format: options.format, files };
}

async function exportFile(
  path: string,
  probe: ProbeFile,
  output: string,
  scratch: string,
  options: TraceExportOptions,
  deps: Deps,
): Promise<TraceExportResult['files']> {
  const { format } = options;
  const isText = format === 'csv' || format === 'jsonl';
  const args = recordArguments('export', path, probe, options);
  args.push(
    '--format',
    isText ? format : 'columns',
    '--output',
    scratch,
    ...(options.skipEmpty ? ['--skip-empty'] : []),
  );
  const exported = eventsOf(await runTrace(args, deps), 'exported');
  const written: TraceExportResult['files'] = [];
  for (const [index, { name, rows, skipped, files }] of exported.entries()) {
    const map = probe.maps[index];
    const file = join(output, `${basename(path, '.bin')}.${name}.${format}`);
    const ready = join(scratch, `${name}.ready`);
    if (isText) renameSync(files[0] ?? '', ready);
    else if (map) await (format === 'arrow' ? writeArrow : writeParquet)(ready, columnsOf(map, files), rows);
    renameSync(ready, file);
    written.push({ file, map: name, rows, skipped });
  }
  return written;
}
