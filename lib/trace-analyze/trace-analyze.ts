import { rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { jsonText } from '../support/files';
import { partialOf } from '../support/leftovers';
import { outputFolder, placeOutput, writeOutput } from '../support/output-file';
import { renderSvg } from '../plot/svg';
import { neededProbe, neededResults, openTrace } from '../trace/open-trace';
import type { ProbeFile, TraceMap } from '../trace/probe-file';
import { recordArguments, runTrace } from '../trace/trace-program';
import { printAnalysis } from './analysis-text';
import { arraysOf, pageBytesOf } from './arrays';
import { clockUnitOf, refuseRate, type ClockUnit } from './clock-unit';
import { describe } from './describe';
import type { Analysis, TraceAnalyzeOptions } from './options';
import type { Analysed, TraceAnalyzeResult } from './result';
import { plotOf, readingOf, taught } from './plots';
import { analysisOf, roleArguments, rolesOf } from './roles';
import { withScratch } from './scratch';
import { writeTracks } from './tracks';

/** Analyses every map of every result file, or only the named map. */
export async function traceAnalyze(options: TraceAnalyzeOptions, deps: Deps): Promise<TraceAnalyzeResult> {
  const opened = openTrace(options.trace, options.probe);
  const probe = neededProbe(opened);
  const maps = probe.maps.filter(({ name }) => options.map === undefined || name === options.map);
  if (maps.length === 0) {
    const known = probe.maps.map(({ name }) => name).join(', ');
    throw new KernloopError(
      'TRACE_MAPS',
      `there is no map ${options.map ?? ''}`,
      `the probe.toml has ${known || 'none'}`,
    );
  }
  if (options.output !== undefined) outputFolder(resolve(options.output));
  const all: TraceAnalyzeResult['analyses'] = [];
  for (const { path } of neededResults(opened)) {
    for (const map of maps) all.push(await analyzeMap(path, probe, map, options, deps));
  }
  return { analyses: all };
}

async function analyzeMap(
  file: string,
  probe: ProbeFile,
  map: TraceMap,
  options: TraceAnalyzeOptions,
  deps: Deps,
): Promise<TraceAnalyzeResult['analyses'][number]> {
  return analysed(file, probe, map, options, deps, async (result, intervals) => {
    const unit = clockUnitOf(file);
    refuseRate(unit, options.clockMhz, file);
    deps.report.result(`${basename(file)}, map ${map.name}: ${result.analysis}`);
    printAnalysis(result, unit, deps.report);
    const outputs =
      options.output === undefined ? [] : await writeOutputs(file, map, result, intervals, options, unit, deps);
    for (const output of outputs)
      deps.report.info(`wrote ${output}${output.endsWith('.pftrace') ? ': open it in https://ui.perfetto.dev' : ''}`);
    return { file, map: map.name, outputs, result };
  });
}

/** Analyses one map; the file of intervals for plots exists while `use` runs. */
export async function analysed<T>(
  file: string,
  probe: ProbeFile,
  map: TraceMap,
  options: TraceAnalyzeOptions,
  deps: Deps,
  use: (result: Analysed, intervals: string) => Promise<T>,
): Promise<T> {
  const roles = rolesOf(map, options.field);
  const analysis = options.analysis ?? analysisOf(map, roles);
  return withScratch(async (scratch) => {
    const intervals = join(scratch, 'intervals');
    const args = recordArguments(analysis, file, probe, options);
    const arrays = arraysOf(file);
    const pageBytes = options.pageBytes ?? pageBytesOf(arrays);
    args.push('--map', map.name, ...roleArguments(analysis, map, roles));
    args.push(...limits(analysis, { ...options, pageBytes }, intervals));
    return use(describe(analysis, await runTrace(args, deps), options, arrays), intervals);
  });
}

function limits(
  analysis: Analysis,
  { bins, pageBytes }: { bins: number; pageBytes: number },
  intervals: string,
): string[] {
  if (analysis === 'block-sched') return ['--output', intervals];
  if (analysis === 'heat-map') return ['--bins', String(bins), '--page-bytes', String(pageBytes)];
  return analysis === 'progress' ? ['--bins', String(bins)] : [];
}

/** Writes `<result>.<map>.svg`, `.json` and, if the analysis has times, `.pftrace`. */
async function writeOutputs(
  file: string,
  map: TraceMap,
  result: Analysed,
  intervals: string,
  options: TraceAnalyzeOptions,
  unit: ClockUnit,
  { env }: Pick<Deps, 'env'>,
): Promise<string[]> {
  const base = join(resolve(options.output ?? '.'), `${basename(file, '.bin')}.${map.name}`);
  writeOutput(`${base}.json`, jsonText(result), env);
  const plot = taught(plotOf(result, intervals, options, unit), readingOf(result, unit));
  writeOutput(`${base}.svg`, await renderSvg(plot), env);
  if (result.analysis === 'totals') return [`${base}.json`, `${base}.svg`];
  const ready = partialOf(`${base}.pftrace`);
  try {
    writeTracks(ready, `${basename(file)} ${map.name}`, result, intervals, options, unit);
    placeOutput(ready, `${base}.pftrace`, env);
  } finally {
    rmSync(ready, { force: true });
  }
  return [`${base}.json`, `${base}.svg`, `${base}.pftrace`];
}
