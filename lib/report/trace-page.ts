import { statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Deps } from '../deps/deps';
import { absent, chart, facts, formatNumber, tableOf } from '../page/parts';
import { markup, type Html } from '../page/html';
import type { Page, Section } from '../page/page';
import { KernloopError } from '../support/error';
import { counted } from '../support/format';
import { nullWriter } from '../timeline/null-writer';
import { kindOfEvents, openEvents } from '../timeline/open-events';
import { pageOf } from '../timeline/page';
import { pictureOf, pictureWords } from '../timeline/picture';
import { Summary } from '../timeline/summary';
import { writeTimeline } from '../timeline/timeline';
import { traceAnalyzeOptionsSchema } from '../trace-analyze/options';
import { clockUnitOf } from '../trace-analyze/clock-unit';
import { plotOf } from '../trace-analyze/plots';
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
  const analyses: Html[] = [];
  for (const { path: file } of results) {
    for (const map of probe.maps) {
      if (analyses.length === mostPlots) break;
      const name = `${basename(file)}, map ${map.name}`;
      const shown = analysed(file, probe, map, options, deps, async (result, intervals) =>
        chart(plotOf(result, intervals, options, clockUnitOf(file)), `${name}: ${result.analysis}.`),
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
    title: `Trace ${basename(opened.folder?.path ?? path)}`,
    lead: markup`<p>
      ${counted(results.length, 'launch', 'launches')}, ${counted(probe.maps.length, 'map')};
      ${formatNumber(results.reduce((sum, { bytes }) => sum + bytes, 0))} bytes of records.
    </p>`,
    sections: [
      { id: 'timeline', title: 'Timeline and counts', body },
      ...runSections(opened, path),
      {
        id: 'files',
        title: 'Files',
        body: tableOf(
          'Result files',
          ['file', 'bytes', 'seconds'],
          results.map((one) => [basename(one.path), one.bytes, one.seconds ?? '']),
        ),
      },
    ],
  };
}

function whyNot(error: unknown): Html {
  if (!(error instanceof KernloopError) || error.code === 'INTERRUPTED') throw error;
  return absent(`No analysis of it: ${error.what}.`, error.hint);
}

function runSections({ folder }: OpenedTrace, path: string): Section[] {
  const at = folder?.path ?? (statSync(path).isFile() ? dirname(dirname(path)) : path);
  const run = probeRun(at);
  if (run === null) return [];
  const notSeen = [...new Set(run.launches.flatMap(({ leftOut }) => leftOut))];
  return [
    {
      id: 'run',
      title: 'The run',
      body: markup`${facts([
        ['Kernel', run.kernel],
        ['Code', run.code],
        ['Probe', run.probe.name],
        [
          'Clocks count',
          run.clock === 'wave-instructions' ? 'wave-instructions of the software GPU, which are no time' : run.clock,
        ],
        ['Not seen', notSeen.length === 0 ? 'nothing is known to be missing' : notSeen.join('; ')],
      ])}${tableOf('Launches and their maps', runHeads, runRows(run))}`,
    },
  ];
}
