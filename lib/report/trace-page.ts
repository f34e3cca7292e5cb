import { statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Deps } from '../deps/deps';
import { absent, chart, facts, formatNumber, tableOf } from '../page/parts';
import { capitalized, markup, type Html } from '../page/html';
import type { Page, Section } from '../page/page';
import { KernloopError } from '../support/error';
import { counted } from '../support/format';
import { nullWriter } from '../timeline/null-writer';
import { kindOfEvents, openEvents } from '../timeline/open-events';
import { pageOf } from '../timeline/page';
import { pictureOf, pictureWords } from '../timeline/picture';
import { Summary } from '../timeline/summary';
import { writeTimeline } from '../timeline/timeline';
import type { Analysed } from '../trace-analyze/result';
import { traceAnalyzeOptionsSchema, type TraceAnalyzeOptions } from '../trace-analyze/options';
import { clockUnitOf } from '../trace-analyze/clock-unit';
import { plotOf, readingOf } from '../trace-analyze/plots';
import { analysed } from '../trace-analyze/trace-analyze';
import { neededProbe, neededResults, openTrace, type OpenedTrace } from '../trace/open-trace';
import type { ReportOptions } from './options';
import { probeRun, runHeads, runRows } from './traced';

type Options = Pick<ReportOptions, 'ranks' | 'clockMhz' | 'unaligned'>;

export function tracePage(path: string, options: Options, deps: Deps): Promise<Page> {
  return kindOfEvents(path) === null ? probesPage(path, options, deps) : eventsPage(path, options);
}

/** Page of events that kernels recorded. */
async function eventsPage(path: string, { ranks, clockMhz, unaligned }: Options): Promise<Page> {
  const files = [path, ...ranks.map((rank) => resolve(rank))].map((file) => openEvents(file, clockMhz));
  const summary = new Summary();
  const timeline = writeTimeline({ files, launches: null, isUnaligned: unaligned }, nullWriter, summary);
  const picture = await chart(pictureOf(summary, timeline.unit), pictureWords(summary));
  return pageOf(basename(path), timeline, summary, picture);
}

/** Maximum number of maps with a plot. */
const mostPlots = 12;

const plotted = (
  file: string,
  result: Analysed,
  intervals: string,
  name: string,
  options: TraceAnalyzeOptions,
): Promise<Html> => {
  const unit = clockUnitOf(file);
  const words = [`${name}.`, ...readingOf(result, unit)].join(' ');
  return chart(plotOf(result, intervals, options, unit, 'page'), words);
};

/** Page of probe records with the analysis of each map. */
async function probesPage(path: string, { ranks }: Options, deps: Deps): Promise<Page> {
  if (ranks.length > 0)
    throw new KernloopError(
      'USAGE',
      'ranks are of events that kernels recorded, and this is a trace of probes',
      'leave --ranks out',
    );
  const opened = openTrace(path, undefined);
  const probe = neededProbe(opened);
  const results = neededResults(opened);
  const options = traceAnalyzeOptionsSchema.parse({ trace: path });
  const run = probeRun(folderOf(opened, path));
  const folder = basename(opened.folder?.path ?? path);
  const analyses: Html[] = [];
  for (const { path: file } of results) {
    for (const map of probe.maps) {
      if (analyses.length === mostPlots) break;
      const dispatch = dispatchOf(run, file);
      const name = `${dispatch === undefined ? basename(file) : `Dispatch ${dispatch}`}, map ${map.name}`;
      const shown = analysed(file, probe, map, options, deps, (result, intervals) =>
        plotted(file, result, intervals, name, options),
      );
      analyses.push(
        markup`<h3>${name}</h3>
          ${await shown.catch(whyNot)}`,
      );
    }
  }
  const left = results.length * probe.maps.length - analyses.length;
  const body = markup`${analyses}${left > 0 ? absent(`${counted(left, 'more map has', 'more maps have')} no plot here; of each by itself:`, 'kernloop trace analyze --map NAME --output FOLDER') : ''}`;
  return {
    title: run === null ? `Trace ${folder}` : `${run.kernel}: trace by ${run.probe.name}`,
    lead: markup`${run === null ? '' : markup`<p class="muted">Trace ${folder}</p>`}<p>
      ${counted(results.length, 'launch', 'launches')}, ${counted(probe.maps.length, 'map')};
      ${formatNumber(results.reduce((sum, { bytes }) => sum + bytes, 0))} bytes of records.
    </p>`,
    sections: [
      { id: 'timeline', title: 'Timeline and counts', body },
      ...runSections(run),
      {
        id: 'files',
        title: 'Files',
        body: filesBody(opened, run),
      },
    ],
  };
}

function whyNot(error: unknown): Html {
  if (!(error instanceof KernloopError) || error.code === 'INTERRUPTED') throw error;
  return absent(`No analysis of it: ${error.what}.`, error.hint);
}

const folderOf = ({ folder }: OpenedTrace, path: string): string =>
  folder?.path ?? (statSync(path).isFile() ? dirname(dirname(path)) : path);

/** Files of a run of ours are numbered; Neutrino names its files by the time since its start. */
function filesBody({ results }: OpenedTrace, run: Run): Html {
  return tableOf(
    'Result files',
    ['file', 'bytes', run === null ? 'written so many seconds after the start' : 'dispatch'],
    results.map(({ path, bytes, seconds }) => [
      basename(path),
      bytes,
      (run === null ? seconds : dispatchOf(run, path)) ?? '',
    ]),
  );
}

type Run = ReturnType<typeof probeRun>;

const dispatchOf = (run: Run, path: string): number | undefined =>
  run?.launches.find(({ result }) => result !== null && basename(result) === basename(path))?.dispatch;

function runSections(run: Run): Section[] {
  if (run === null) return [];
  const notSeen = [...new Set(run.launches.flatMap(({ left_out: leftOut }) => leftOut))];
  return [
    {
      id: 'run',
      title: 'The run',
      body: markup`${facts([
        ['Kernel', run.kernel],
        ['Code', capitalized(run.code)],
        ['Probe', run.probe.name],
        [
          'Clocks count',
          run.clock === 'wave-instructions' ? 'wave-instructions of the software GPU, which are not times' : run.clock,
        ],
        ['Not seen', notSeen.length === 0 ? 'nothing is known to be missing' : notSeen.join('; ')],
      ])}${tableOf('Maps of each launch', runHeads, runRows(run))}`,
    },
  ];
}
