import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { KernloopError } from '../support/error';
import { findTraceFolder, isTraceFolder, readTraceFolder, type ResultFile, type TraceFolder } from './folder';
import type { ProbeFile } from './probe-file';
import { readProbeFile } from './read-probe-file';

/** Trace given to a verb: a folder with its result files, or one file, and the matching probe file. */
export interface OpenedTrace {
  readonly folder: TraceFolder | null;
  readonly probe: ProbeFile | null;
  readonly results: readonly ResultFile[];
  readonly dmats: readonly ResultFile[];
}

export function openTrace(path: string, probe: string | undefined): OpenedTrace {
  const at = resolve(path);
  if (!existsSync(at)) {
    throw new KernloopError(
      'FILE_NOT_FOUND',
      `${at} does not exist`,
      'name the folder of a trace, or a .bin or .dmat file of one',
    );
  }
  if (!statSync(at).isDirectory()) return openFile(at, probe);
  const folder = readTraceFolder(findTraceFolder(at), probe === undefined ? undefined : resolve(probe));
  return { folder, probe: folder.probe, results: folder.results, dmats: folder.dmats };
}

function openFile(path: string, probe: string | undefined): OpenedTrace {
  // The file is result/<seconds>.bin in a trace folder.
  const folder = dirname(dirname(path));
  const beside = isTraceFolder(folder) && basename(dirname(path)) === 'result' ? join(folder, 'probe.toml') : undefined;
  const probePath = probe === undefined ? beside : resolve(probe);
  const file = { path, seconds: null, bytes: statSync(path).size };
  return {
    folder: null,
    probe: probePath !== undefined && existsSync(probePath) ? readProbeFile(probePath) : missing(probePath, probe),
    ...(path.endsWith('.dmat') ? { results: [], dmats: [file] } : { results: [file], dmats: [] }),
  };
}

function missing(path: string | undefined, asked: string | undefined): null {
  if (asked === undefined) return null;
  throw new KernloopError('FILE_NOT_FOUND', `${path ?? asked} does not exist`, 'name a probe.toml');
}

/** Probe file, for verbs that need one. */
export function neededProbe({ probe }: OpenedTrace): ProbeFile {
  if (probe) return probe;
  throw new KernloopError(
    'USAGE',
    'no probe.toml is beside the trace, and a result file does not say what its records are',
    'name the probe.toml that it was made with, with --probe',
  );
}

/** Result files, for verbs that need them: reading nothing is no success. */
export function neededResults({ folder, results, dmats }: OpenedTrace): readonly ResultFile[] {
  if (results.length > 0) return results;
  const [dmat] = dmats;
  throw new KernloopError(
    dmat === undefined ? 'TRACE_INVALID' : 'USAGE',
    dmat === undefined
      ? `${folder?.path ?? 'the trace'} holds no result file (result/*.bin)`
      : `${dmat.path} holds accesses that were counted, no records`,
    dmat === undefined
      ? 'no probed kernel was launched; `kernloop trace read` shows what its event.log says'
      : 'name the .bin file that it was made of; `kernloop trace read` reads it',
  );
}
