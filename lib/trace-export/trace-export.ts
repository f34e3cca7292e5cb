import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { outputFolder, placeOutput } from '../support/output-file';
import { formatCount } from '../support/report';
import { kindOfEvents } from '../timeline/open-events';
import { neededProbe, neededResults, openTrace } from '../trace/open-trace';
import type { ProbeFile } from '../trace/probe-file';
import { eventsOf, recordArguments, runTrace } from '../trace/trace-program';
import { writeArrow } from './arrow';
import { columnsOf } from './columns';
import type { TraceExportOptions } from './options';
import { writeParquet } from './parquet';
import type { TraceExportResult } from './result';
import { exportTimeline, type TimelineFormat } from './timeline';

/** Writes every map of every result file; a failure leaves no partial file. */
export async function traceExport(options: TraceExportOptions, deps: Deps): Promise<TraceExportResult> {
  if (kindOfEvents(resolve(options.trace)) !== null) return exportTimeline(options, deps);
  const format = recordFormatOf(options);
  const opened = openTrace(options.trace, options.probe);
  const probe = neededProbe(opened);
  const output = resolve(options.output);
  outputFolder(output);
  const files: TraceExportResult['files'] = [];
  for (const { path } of neededResults(opened)) {
    // The scratch folder is beside the result, because columns may be as large as the trace.
    const scratch = mkdtempSync(join(output, '.kernloop-trace-'));
    try {
      files.push(...(await exportFile(path, probe, output, scratch, { ...options, format }, deps)));
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }
  for (const { file, rows } of files) deps.report.result(`${file}: ${formatCount(rows)} rows`);
  return { format, files };
}

type RecordFormat = Exclude<TraceExportOptions['format'], TimelineFormat | undefined>;

function recordFormatOf({ format = 'parquet', ranks, profile }: TraceExportOptions): RecordFormat {
  if (format === 'perfetto' || format === 'chrome' || format === 'html' || ranks.length > 0 || profile !== undefined) {
    throw new KernloopError(
      'USAGE',
      'a timeline is of events that kernels recorded of themselves, and this is a trace of probes',
      '`kernloop trace analyze` writes tracks for ui.perfetto.dev of it',
    );
  }
  return format;
}

async function exportFile(
  path: string,
  probe: ProbeFile,
  output: string,
  scratch: string,
  options: TraceExportOptions & { format: RecordFormat },
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
    placeOutput(ready, file, deps.env);
    written.push({ file, map: name, rows, skipped });
  }
  return written;
}
