import { appendFileSync, copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Deps } from '../deps/deps';
import type { ProbedLaunch } from '../probe/backend';
import type { ProbeSet } from '../probe/probe-set';
import type { ReplaySession } from '../replay/session';
import { writeJson } from '../support/files';
import { traceFolderName, writeTraceFolder, type WrittenLaunch } from '../trace/write-folder';
import type { LaunchGeometry } from '../trace/write-trace';
import { runCallback, type Callback } from './callback';
import { filesOfCallback } from './own-traces';
import type { ProbedDispatch, ProbeRunJson } from './result';

export interface TracedDispatch {
  readonly launch: ProbedLaunch;
  readonly geometry: LaunchGeometry;
  /** Host time of the whole replay. */
  readonly replayMs: number;
  readonly summary: ProbedDispatch;
}

interface Run {
  readonly root: string;
  /** Fields known only after the folder is written are filled in then. */
  readonly json: ProbeRunJson;
  readonly traced: readonly TracedDispatch[];
  readonly probes: ProbeSet;
  readonly started: Date;
  readonly callback: Callback | null;
  readonly session: ReplaySession;
}

/** Writes the folder as Neutrino's tools read it, with files of counts beside theirs; probe-run.json comes last. */
export async function writeRun(run: Run, deps: Deps): Promise<string> {
  const { root, json, traced, probes, session } = run;
  const complete = traced.filter(({ launch }) => launch.verdict !== 'fault' && launch.verdict !== 'limit');
  const launches = complete.map((one, index) => writtenLaunch(one, index, run.started));
  const started = freeStart(root, run.started);
  const words = session.capture.kernarg.slots.map(({ value }) => wordOf(value));
  const folder = writeTraceFolder(root, {
    pid: process.pid,
    started,
    command: `kernloop trace run ${session.reproducer.config.name} --probe ${probes.name}`,
    probeToml: probes.text,
    probe: probes.file,
    kernels: [
      {
        name: json.symbol,
        parameters: words.length,
        files: complete[0]?.launch.files ?? {},
        launches: launches.map((launch) => ({ ...launch, arguments: words })),
      },
    ],
  });
  for (const [index, { launch, summary }] of complete.entries()) {
    const name = `${(launches[index]?.seconds ?? 0).toFixed(6)}.bin`;
    summary.result = join('result', name);
    keepCounts(folder, name, launch, summary);
    if (probes.file.callback !== null) summary.callback = await callBack(run.callback, folder, name, deps);
  }
  json.other_files = filesOfCallback(folder);
  writeJson(join(folder, 'probe-run.json'), json);
  return folder;
}

function writtenLaunch(
  { launch, geometry }: TracedDispatch,
  index: number,
  started: Date,
): Omit<WrittenLaunch, 'arguments'> {
  const { milliseconds: kernel } = launch;
  return {
    ...geometry,
    // Number in the file name: dispatches in order.
    seconds: index + 1,
    timeNs: BigInt(started.getTime()) * 1_000_000n + BigInt(index),
    maps: launch.maps.map(({ level, unitBytes, path }) => ({ level, unitBytes, content: { file: path } })),
    milliseconds: kernel === null ? null : { prologue: 0, kernel, epilogue: 0 },
  };
}

/** Start time that is not taken: two runs of one process in one second would write into one folder. */
function freeStart(root: string, started: Date): Date {
  for (let time = started; ; time = new Date(time.getTime() + 1000)) {
    if (!existsSync(join(root, traceFolderName({ started: time, pid: process.pid })))) return time;
  }
}

function wordOf(value: string | null | undefined): bigint {
  return value !== null && value !== undefined && /^0x[0-9a-f]+$/i.test(value) ? BigInt.asUintN(64, BigInt(value)) : 0n;
}

function keepCounts(folder: string, result: string, launch: ProbedLaunch, summary: ProbedDispatch): void {
  mkdirSync(join(folder, 'counts'), { recursive: true });
  for (const map of launch.maps) {
    const counts = join('counts', `${basename(result, '.bin')}.${map.name}.bin`);
    copyFileSync(map.countsPath, join(folder, counts));
    const row = summary.maps.find(({ name }) => name === map.name);
    if (row) row.counts = counts;
  }
}

/** Runs the callback and logs it like Neutrino. */
async function callBack(
  callback: Callback | null,
  folder: string,
  name: string,
  deps: Deps,
): Promise<NonNullable<ProbedDispatch['callback']>> {
  if (callback === null) return 'not run';
  const result = join(folder, 'result', name);
  const succeeded = await runCallback(callback, result, deps);
  const lines = [
    `[callback] subproc python3 ${callback.name} ${result}`,
    `[callback] ${succeeded ? 'succeed' : 'failed'}`,
  ];
  appendFileSync(join(folder, 'event.log'), `${lines.join('\n')}\n`);
  return succeeded ? 'succeeded' : 'failed';
}
