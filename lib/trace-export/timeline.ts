import { rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import type { Deps } from '../deps/deps';
import { ChromeWriter } from '../perfetto/chrome-writer';
import { PerfettoWriter } from '../perfetto/perfetto-writer';
import { pageText } from '../page/page';
import { chart } from '../page/parts';
import { renderSvg } from '../plot/svg';
import { KernloopError } from '../support/error';
import { partialOf } from '../support/leftovers';
import { outputFolder, placeOutput, writeOutput } from '../support/output-file';
import { formatCount } from '../support/report';
import { nullWriter } from '../timeline/null-writer';
import { openEvents } from '../timeline/open-events';
import { pageOf } from '../timeline/page';
import { pictureOf, pictureWords } from '../timeline/picture';
import { launchesOf } from '../timeline/profile-launches';
import { printTimeline, timelineResult } from '../timeline/report';
import { Summary } from '../timeline/summary';
import { writeTimeline, type TimelineFacts } from '../timeline/timeline';
import type { TraceExportOptions } from './options';
import type { TraceExportResult } from './result';

const timelineFormats = ['perfetto', 'chrome', 'html'] as const;
export type TimelineFormat = (typeof timelineFormats)[number];

const endings: Readonly<Record<TimelineFormat, string>> = { perfetto: 'pftrace', chrome: 'chrome.json', html: 'html' };

/** Exports files of events as one timeline; a failure leaves no partial file. */
export async function exportTimeline(options: TraceExportOptions, deps: Deps): Promise<TraceExportResult> {
  const format = formatOf(options);
  const paths = [options.trace, ...options.ranks].map((path) => resolve(path));
  const files = paths.map((path) => openEvents(path, options.clockMhz));
  const launches = options.profile === undefined ? null : launchesOf(resolve(options.profile));
  const parts = { files, launches, isUnaligned: options.unaligned };
  const output = resolve(options.output);
  outputFolder(output);
  const name = basename(options.trace, extname(options.trace));
  const file = join(output, `${name}.${endings[format]}`);
  const ready = partialOf(join(output, `.${name}`));
  const summary = new Summary();
  let facts: TimelineFacts | null = null;
  try {
    const writer = writerOf(format, ready, () => (facts ? metadataOf(facts) : {}));
    try {
      facts = writeTimeline(parts, writer, summary);
    } finally {
      writer.close();
    }
    if (format === 'html') {
      const picture = pictureOf(summary, facts.unit);
      writeOutput(join(output, `${name}.svg`), `${await renderSvg(picture)}\n`, deps.env);
      writeFileSync(ready, pageText(pageOf(name, facts, summary, await chart(picture, pictureWords(summary)))));
    }
    placeOutput(ready, file, deps.env);
  } finally {
    rmSync(ready, { force: true });
  }
  const timeline = timelineResult(facts, summary);
  printTimeline(timeline, deps.report);
  deps.report.result(`${file}: ${formatCount(summary.slices)} slices`);
  if (format === 'perfetto') deps.report.info('open it in https://ui.perfetto.dev');
  return { format, files: [{ file, map: 'timeline', rows: summary.slices, skipped: 0 }], timeline };
}

function formatOf({ format }: TraceExportOptions): TimelineFormat {
  if (format === undefined) return 'perfetto';
  const known = timelineFormats.find((each) => each === format);
  if (known !== undefined) return known;
  throw new KernloopError(
    'USAGE',
    `${format} is for records of probes, and this is a file of events`,
    `--format ${timelineFormats.join(', ')}`,
  );
}

function writerOf(
  format: TimelineFormat,
  path: string,
  metadata: () => object,
): PerfettoWriter | ChromeWriter | typeof nullWriter {
  if (format === 'perfetto') return new PerfettoWriter(path);
  return format === 'chrome' ? new ChromeWriter(path, metadata) : nullWriter;
}

/** Facts that the events do not contain. */
function metadataOf({ unit, alignment, zero, ranks }: TimelineFacts): object {
  return {
    schema: 'kernloop.timeline/1',
    unit,
    alignment,
    zero: String(zero),
    ranks: ranks.map(({ dropped, ...rank }) => ({ ...rank, dropped: String(dropped) })),
  };
}
