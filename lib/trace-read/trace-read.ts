import { createHash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import type { Deps } from '../deps/deps';
import { KernloopError } from '../support/error';
import { overheadOf, type EventLog, type Launch } from '../trace/event-log';
import type { KernelFolder, ResultFile } from '../trace/folder';
import { nullWriter } from '../timeline/null-writer';
import { kindOfEvents, openEvents } from '../timeline/open-events';
import { printTimeline, timelineResult } from '../timeline/report';
import { Summary } from '../timeline/summary';
import { writeTimeline } from '../timeline/timeline';
import { openTrace } from '../trace/open-trace';
import { isMisreadByNeutrino, type ProbeFile } from '../trace/probe-file';
import { eventOf, eventsOf, readAsArguments, recordArguments, runTrace } from '../trace/trace-program';
import type { TraceReadOptions } from './options';
import type { ReadDmat, ReadFile, TraceReadResult } from './result';
import { printTrace } from './trace-text';

/** Reads a whole trace of Neutrino: its metadata, and a summary of every column of every file. */
export async function traceRead(options: TraceReadOptions, deps: Deps): Promise<TraceReadResult> {
  if (kindOfEvents(resolve(options.trace)) !== null) return readEvents(resolve(options.trace), options, deps);
  const { folder, probe, results, dmats } = openTrace(options.trace, options.probe);
  const files: ReadFile[] = [];
  for (const file of results) files.push(await readFile(file, probe, options, deps));
  const counted: ReadDmat[] = [];
  for (const file of dmats) counted.push(await readDmat(file, deps));
  const [only] = [...files, ...counted];
  if (!folder && only?.error) throw new KernloopError('TRACE_INVALID', only.error.message, only.error.hint);
  const name = folder?.name ?? null;
  const result: TraceReadResult = {
    path: folder?.path ?? resolve(options.trace),
    process: name,
    probe: probe ? describeProbe(probe) : null,
    log: folder?.log ? describeLog(folder.log) : null,
    kernels: (folder?.kernels ?? []).map(describeKernel),
    tensors: folder?.tensors?.calls.length ?? null,
    results: files,
    dmats: counted,
  };
  printTrace(result, deps.report);
  return result;
}

export function traceReadExitCode({ results, dmats }: TraceReadResult): number {
  return [...results, ...dmats].some(({ error }) => error !== null) ? 1 : 0;
}

/** An error in one file is reported for that file; the others are still read. */
async function readFile(
  file: ResultFile,
  probe: ProbeFile | null,
  options: TraceReadOptions,
  deps: Deps,
): Promise<ReadFile> {
  const read: ReadFile = {
    file: file.path,
    bytes: file.bytes,
    seconds: file.seconds,
    dialect: null,
    reasons: [],
    grid: null,
    block: null,
    shared_bytes: null,
    sections: [],
    maps: [],
    error: null,
  };
  try {
    const inspected = await runTrace(inspectArguments(file.path, probe, options), deps);
    const trace = eventOf(inspected, 'trace');
    read.reasons = eventsOf(inspected, 'fit').map(({ dialect, fits, reason }) => ({ dialect, fits, reason }));
    Object.assign(read, {
      dialect: trace.dialect,
      grid: trace.grid,
      block: trace.block,
      shared_bytes: trace.shared_bytes,
    });
    read.sections = trace.sections.map((section) => ({
      bytes: section.bytes,
      offset: section.offset,
      recorded_offset: section.recorded_offset,
      unit_bytes: section.unit_bytes ?? null,
      is_ragged: section.is_ragged,
    }));
    if (!probe) return read;
    const summary = await runTrace(recordArguments('summary', file.path, probe, options), deps);
    read.maps = eventsOf(summary, 'map').map(({ name, rows, columns }, index) => ({
      name,
      rows,
      columns,
      level: probe.maps[index]?.level ?? 'thread',
    }));
  } catch (error) {
    read.error = ofTheFile(error);
  }
  return read;
}

/** Reads a file of events and returns the facts of an export, without writing it. */
function readEvents(path: string, { clockMhz }: TraceReadOptions, deps: Deps): TraceReadResult {
  const summary = new Summary();
  const facts = writeTimeline(
    { files: [openEvents(path, clockMhz)], launches: null, isUnaligned: true },
    nullWriter,
    summary,
  );
  const timeline = timelineResult(facts, summary);
  printTimeline(timeline, deps.report);
  const nothing = { process: null, probe: null, log: null, kernels: [], tensors: null, results: [], dmats: [] };
  return { path, ...nothing, timeline };
}

async function readDmat({ path, bytes }: ResultFile, deps: Deps): Promise<ReadDmat> {
  const nothing = { pages: null, clocks: null, accesses: null, first_clock: null, last_clock: null };
  try {
    const { pages, clocks, accesses, ...dmat } = eventOf(await runTrace(['dmat-info', path], deps), 'dmat');
    const counts = { pages, clocks, accesses, first_clock: dmat.first_clock, last_clock: dmat.last_clock };
    return { file: path, bytes, ...counts, error: null };
  } catch (error) {
    return { file: path, bytes, ...nothing, error: ofTheFile(error) };
  }
}

function ofTheFile(error: unknown): ReadFile['error'] {
  if (!(error instanceof KernloopError) || error.exitCode !== 2) throw error;
  return error.toJSON();
}

function inspectArguments(file: string, probe: ProbeFile | null, options: TraceReadOptions): string[] {
  return probe ? recordArguments('inspect', file, probe, options) : ['inspect', file, ...readAsArguments(options)];
}

function describeProbe({ schema, callback, probes, maps }: ProbeFile): TraceReadResult['probe'] {
  return {
    schema,
    callback,
    probes: probes.map(({ name, level, positions }) => ({ name, level, positions: [...positions] })),
    maps: maps.map((map) => ({
      name: map.name,
      level: map.level,
      size: map.size,
      capacity: map.capacity,
      fields: map.fields.map(({ name, type }) => ({ name, type })),
      is_misread_by_neutrino: schema === 'current' && isMisreadByNeutrino(map),
    })),
  };
}

function describeLog(log: EventLog): TraceReadResult['log'] {
  return {
    events: log.events.length,
    unknown: log.unknown.map(({ line, text }) => ({ line, text })),
    launches: log.launches.map(describeLaunch),
    overhead: overheadOf(log.launches),
  };
}

const hex = (value: bigint): string => `0x${value.toString(16)}`;

function describeLaunch(launch: Launch): NonNullable<TraceReadResult['log']>['launches'][number] {
  const { kernel, timeNs, parameters, grid, block, outcome, saved, times, callback } = launch;
  return {
    kernel,
    time_ns: hex(timeNs),
    parameters: parameters.map(hex),
    grid: grid ? [...grid] : null,
    block: block ? [...block] : null,
    outcome,
    result: saved ? basename(saved.path) : null,
    prologue_ms: times?.prologue ?? null,
    kernel_ms: times?.kernel ?? null,
    epilogue_ms: times?.epilogue ?? null,
    callback,
  };
}

function describeKernel({ path, info, sha1, registers, files }: KernelFolder): TraceReadResult['kernels'][number] {
  const name = info?.name ?? null;
  const isNameOfFolder = name === null || sha1 === null ? null : createHash('sha1').update(name).digest('hex') === sha1;
  return { folder: basename(path), name, sha1, is_name_of_folder: isNameOfFolder, registers, files: [...files] };
}
