import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProbeFile } from './probe-file';
import { writeTraceFile, type LaunchGeometry, type MapContents } from './write-trace';

/** A process whose kernels were traced, with the facts that Neutrino's tools need. */
export interface WrittenTrace {
  readonly pid: number;
  readonly started: Date;
  readonly command: string;
  /** Verbatim text of the file. */
  readonly probeToml: string;
  readonly probe: ProbeFile;
  /** Python reader for the trace, if there is one. */
  readonly reader?: string;
  readonly kernels: readonly WrittenKernel[];
}

interface WrittenKernel {
  readonly name: string;
  readonly parameters: number;
  /** Original, pruned and probed code, by file name. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly launches: readonly WrittenLaunch[];
}

export interface WrittenLaunch extends LaunchGeometry {
  /** Seconds since the process started. */
  readonly seconds: number;
  readonly timeNs: bigint;
  /** Arguments of the kernel, up to 8 bytes each. */
  readonly arguments: readonly bigint[];
  readonly maps: readonly MapContents[];
  /** Null if the trace counts steps instead of measuring time. */
  readonly milliseconds: { readonly prologue: number; readonly kernel: number; readonly epilogue: number } | null;
}

/** Writes `<Mon><DD>_<HHMMSS>_<pid>` into a folder; returns its path. */
export function writeTraceFolder(root: string, trace: WrittenTrace): string {
  const folder = join(root, traceFolderName(trace));
  mkdirSync(join(folder, 'result'), { recursive: true });
  writeFileSync(join(folder, 'probe.toml'), trace.probeToml);
  if (trace.reader !== undefined) writeFileSync(join(folder, 'read.py'), trace.reader);
  const log = [
    `[init] pid ${trace.pid}`,
    `[init] cmd ${Buffer.byteLength(trace.command)} ${trace.command}`,
    '[init] success',
  ];
  for (const [index, kernel] of trace.kernels.entries()) {
    const name = `${index}_${createHash('sha1').update(kernel.name).digest('hex')}`;
    writeKernel(join(folder, 'kernel', name), kernel, trace.probe);
    const handle = `0x${(index + 1).toString(16)}`;
    log.push(`[probe] rename ${kernel.name} ${name}`);
    log.push(`[probe] finish ${handle} name ${kernel.name} n_param ${kernel.parameters}`);
    for (const launch of kernel.launches) log.push(...writeLaunch(folder, handle, launch));
  }
  writeFileSync(join(folder, 'event.log'), `${log.join('\n')}\n`);
  return folder;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Name with local time, like strftime's "%b%d_%H%M%S" in the C locale. */
export function traceFolderName({ started, pid }: Pick<WrittenTrace, 'started' | 'pid'>): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const time = [started.getHours(), started.getMinutes(), started.getSeconds()].map(two).join('');
  return `${months[started.getMonth()] ?? ''}${two(started.getDate())}_${time}_${pid}`;
}

function writeKernel(folder: string, kernel: WrittenKernel, { maps }: ProbeFile): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(kernel.files)) writeFileSync(join(folder, name), content);
  const rows = maps.map(
    ({ level, size, capacity }) => `${level === 'warp' ? 1 : 0},${capacity === 'dynamic' ? -1 : size * capacity}`,
  );
  writeFileSync(join(folder, 'kernel.info'), `${[kernel.name, kernel.parameters, maps.length, ...rows].join('\n')}\n`);
}

function writeLaunch(folder: string, handle: string, launch: WrittenLaunch): string[] {
  const file = join(folder, 'result', `${launch.seconds.toFixed(6)}.bin`);
  const bytes = writeTraceFile(file, launch, launch.maps);
  const words = launch.arguments.map((value) => `${value.toString(16)} `).join('');
  return [
    `[exec] funcmap-find ${handle} success`,
    `[exec] ${launch.timeNs} param ${words}`,
    `[exec] grid ${launch.grid.join(' ')} block ${launch.block.join(' ')} shared ${launch.sharedBytes}`,
    `[exec] probe-mem ${bytes.maps} (bytes)`,
    '[exec] succeed 0',
    `[exec] save ${file} size ${bytes.file}`,
    ...(launch.milliseconds ? [durations(launch.milliseconds)] : []),
  ];
}

function durations({ prologue, kernel, epilogue }: NonNullable<WrittenLaunch['milliseconds']>): string {
  const ratio = (prologue + kernel + epilogue) / kernel;
  return `[exec] prologue ${prologue.toFixed(6)} kernel ${kernel.toFixed(6)} epilogue ${epilogue.toFixed(6)} ratio ${ratio.toFixed(6)}`;
}
