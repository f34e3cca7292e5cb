import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { KernloopError } from '../support/error';
import { parseEventLog, type EventLog } from './event-log';
import { readKernelInfo, type KernelInfo } from './kernel-info';
import { readProbeFile } from './read-probe-file';
import type { ProbeFile } from './probe-file';
import { parseTensorTrace, type TensorTrace } from './tensor-trace';

/** A folder that Neutrino wrote for one process. */
export interface TraceFolder {
  readonly path: string;
  /** Facts in its name; null if the folder was renamed. */
  readonly name: FolderName | null;
  readonly probe: ProbeFile | null;
  readonly log: EventLog | null;
  readonly tensors: TensorTrace | null;
  readonly kernels: readonly KernelFolder[];
  /** Files `result/*.bin`, in the order in which they were written. */
  readonly results: readonly ResultFile[];
  /** Files `result/*.dmat`: access counts that its dmat tool made from the results. */
  readonly dmats: readonly ResultFile[];
}

export interface FolderName {
  readonly month: string;
  readonly day: number;
  readonly time: string;
  readonly pid: number;
}

export interface ResultFile {
  readonly path: string;
  /** Seconds since the driver started; null if the name has another form. */
  readonly seconds: number | null;
  readonly bytes: number;
}

/** Folder `kernel/<index>_<sha1 of the name>`, one per attempt to probe. */
export interface KernelFolder {
  readonly path: string;
  readonly index: number | null;
  readonly sha1: string | null;
  readonly info: KernelInfo | null;
  readonly files: readonly string[];
  /** Registers of the probed kernel from ptxas, if the engine got that far. */
  readonly registers: number | null;
}

/** Parses Nov22_093015_4711, in the oldest branch Nov_22_09_30_15_4711. */
export function parseFolderName(name: string): FolderName | null {
  const found =
    /^([A-Z][a-z]{2})(\d{2})_(\d{2})(\d{2})(\d{2})_(\d+)$/.exec(name) ??
    /^([A-Z][a-z]{2})_(\d{2})_(\d{2})_(\d{2})_(\d{2})_(\d+)$/.exec(name);
  if (!found) return null;
  const [, month = '', day = '', hours = '', minutes = '', seconds = '', pid = ''] = found;
  return { month, day: Number(day), time: `${hours}:${minutes}:${seconds}`, pid: Number(pid) };
}

export function isTraceFolder(path: string): boolean {
  return ['result', 'event.log', 'probe.toml'].some((name) => existsSync(join(path, name)));
}

/**
 * The trace folder at a path, or the only one inside it (a `--tracedir`); throws and names them if there are several.
 */
export function findTraceFolder(path: string): string {
  if (isTraceFolder(path)) return path;
  const inside = readdirSync(path)
    .map((name) => join(path, name))
    .filter((folder) => statSync(folder).isDirectory() && isTraceFolder(folder));
  const [only, ...others] = inside.sort();
  if (only !== undefined && others.length === 0) return only;
  const names = inside.map((folder) => basename(folder)).join(', ');
  throw new KernloopError(
    'USAGE',
    only === undefined
      ? `${path} holds no trace: neither result/, event.log nor probe.toml`
      : `${path} holds several traces: ${names}`,
    'name the folder of one process',
  );
}

export function readTraceFolder(path: string, probe?: string): TraceFolder {
  const file = (name: string): string | undefined => {
    const at = join(path, name);
    return existsSync(at) ? at : undefined;
  };
  const probePath = probe ?? file('probe.toml');
  const log = file('event.log');
  const tensors = file('tensor.trace');
  return {
    path,
    name: parseFolderName(basename(path)),
    probe: probePath === undefined ? null : readProbeFile(probePath),
    log: log === undefined ? null : parseEventLog(readFileSync(log)),
    tensors: tensors === undefined ? null : parseTensorTrace(readFileSync(tensors, 'utf8')),
    kernels: kernelFolders(join(path, 'kernel')),
    results: resultFiles(join(path, 'result'), '.bin'),
    dmats: resultFiles(join(path, 'result'), '.dmat'),
  };
}

function resultFiles(folder: string, extension: string): ResultFile[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(extension))
    .map((name): ResultFile => {
      const path = join(folder, name);
      const stem = name.slice(0, -extension.length);
      return { path, seconds: /^\d+\.\d{6}$/.test(stem) ? Number(stem) : null, bytes: statSync(path).size };
    });
  return files.sort((a, b) => (a.seconds ?? 0) - (b.seconds ?? 0) || a.path.localeCompare(b.path));
}

function kernelFolders(folder: string): KernelFolder[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => statSync(join(folder, name)).isDirectory())
    .map((name) => kernelFolder(join(folder, name)))
    .sort((a, b) => (a.index ?? 0) - (b.index ?? 0) || a.path.localeCompare(b.path));
}

function kernelFolder(path: string): KernelFolder {
  const [, index, sha1] = /^(\d+)_([0-9a-f]{40})$/.exec(basename(path)) ?? [];
  const info = join(path, 'kernel.info');
  const log = join(path, 'process.log');
  return {
    path,
    index: index === undefined ? null : Number(index),
    sha1: sha1 ?? null,
    info: existsSync(info) ? readKernelInfo(readFileSync(info, 'utf8'), info) : null,
    files: readdirSync(path).sort(),
    registers: existsSync(log) ? registersOf(readFileSync(log, 'utf8')) : null,
  };
}

/** The last "Used N registers", because the engine assembles the pruned kernel first. */
function registersOf(log: string): number | null {
  const last = [...log.matchAll(/Used (\d+) registers/g)].at(-1);
  return last ? Number(last[1]) : null;
}
