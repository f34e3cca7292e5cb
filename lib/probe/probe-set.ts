import { existsSync, readFileSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { KernloopError, messageOf, nearest } from '../support/error';
import { packageRoot } from '../support/version';
import { recordBytes, type ProbeFile } from '../trace/probe-file';
import { parseProbeFile } from '../trace/read-probe-file';
import { parseEngineProbes, type EngineProbe } from './engine-probes';

/** A probe.toml ready to apply: Neutrino's part and the part that the software GPU runs. */
export interface ProbeSet {
  /** Name of the shipped file, or the user's file name without its extension. */
  readonly name: string;
  readonly path: string;
  readonly isShipped: boolean;
  /** Text of the file, verbatim. */
  readonly text: string;
  readonly file: ProbeFile;
  /** Probes of `[softgpu.…]`; empty if the file has none. */
  readonly engine: readonly EngineProbe[];
}

/** Probes shipped with Kernloop: `probes/<name>.toml` of the package. */
const shippedProbes = ['block_sched', 'dmat', 'gmem_bytes', 'tensorop', 'program_progress'] as const;

/** Opens a shipped probe by name, or a file by its path, looked up in each folder in turn. */
export function openProbeSet(probe: string, folders: readonly string[]): ProbeSet {
  const isShipped = (shippedProbes as readonly string[]).includes(probe);
  const places = isAbsolute(probe) ? [probe] : folders.map((folder) => join(folder, probe));
  const path = isShipped ? join(packageRoot, 'probes', `${probe}.toml`) : places.find((place) => existsSync(place));
  if (path === undefined) {
    const near = nearest(probe, shippedProbes);
    throw new KernloopError(
      'FILE_NOT_FOUND',
      `${probe} is neither a probe that comes with Kernloop nor a file${near.length > 0 ? `; nearest: ${near.join(', ')}` : ''}`,
      `name one of ${shippedProbes.join(', ')}, or a probe.toml`,
    );
  }
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new KernloopError('FILE_UNREADABLE', `${path} ${messageOf(error)}`, 'name a file that can be read');
  }
  return { ...parseProbeSet(text, path), isShipped };
}

export function parseProbeSet(text: string, path: string): ProbeSet {
  const file = parseProbeFile(text, path);
  for (const map of file.maps) {
    if (recordBytes(map) === map.size) continue;
    throw new KernloopError(
      'TRACE_INVALID',
      `${path}: map ${map.name}: size is ${map.size}, and its fields are ${recordBytes(map)} bytes: records would not lie where readers look`,
      `say size = ${recordBytes(map)}`,
    );
  }
  const name = basename(path).replace(/\.toml$/, '');
  return { name, path, isShipped: false, text, file, engine: parseEngineProbes(text, path, file) };
}
