import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { withDevice } from '../device/lock';
import type { Deps } from '../deps/deps';
import type { ProbeBackend, ProbedLaunch } from '../probe/backend';
import { probeBackend } from '../probe/backends';
import { geometryOf } from '../probe/geometry';
import { openProbeSet, type ProbeSet } from '../probe/probe-set';
import { judging, warnIfUnproven } from '../replay/check';
import { nameOfCode, openSessions, type ReplaySession } from '../replay/session';
import { replayWithinLimit } from '../replay/within-limit';
import { openReproducer, type Reproducer } from '../reproducer/reproducer';
import { KernloopError } from '../support/error';
import { exitCodes } from '../support/error-codes';
import { isInside, sha256 } from '../support/files';
import { outputFolder } from '../support/output-file';
import { arraysOf } from './arrays';
import { allowedCallback } from './callback';
import { countingCapacities, isDynamic, readCounts, requireRoom, tracingCapacities } from './capacity';
import { writeRun, type TracedDispatch } from './folder';
import type { TraceRunOptions } from './options';
import { refuseForeignTraces } from './own-traces';
import type { MapSummary, ProbedDispatch, ProbeRunJson, TraceRunResult } from './result';
import { printRun } from './text';

/** Replays each selected dispatch with probes in its kernel, and writes their records as one trace folder. */
export async function traceRun(options: TraceRunOptions, deps: Deps): Promise<TraceRunResult> {
  const reproducer = openReproducer(options.reproducer, deps.opened);
  const probes = openProbeSet(options.probe, [reproducer.root, process.cwd()]);
  return trace(probes, reproducer, options, deps);
}

/** The task: the cache has to know all inputs of its result. */
export async function traceRunTask(options: TraceRunOptions, deps: Deps): Promise<boolean> {
  const reproducer = openReproducer(options.reproducer, deps.opened);
  const { root } = reproducer;
  const probes = openProbeSet(options.probe, [root]);
  if (!probes.isShipped && !isInside(root, probes.path)) {
    throw new KernloopError(
      'USAGE',
      `${probes.path} lies outside of the reproducer, where the cache does not see that it changes`,
      `put it into ${root}, or run \`kernloop trace run\``,
    );
  }
  return (await trace(probes, reproducer, options, deps)).exit_code === exitCodes.pass;
}

async function trace(
  probes: ProbeSet,
  reproducer: Reproducer,
  options: TraceRunOptions,
  deps: Deps,
): Promise<TraceRunResult> {
  const callback = allowedCallback(probes, options.allowCallback, deps);
  const { sessions } = await openSessions(options, deps, 'main', undefined, reproducer);
  const [first] = sessions;
  const backend = probeBackend(first.device.description.kind);
  const place = placeOf(options, first, probes);
  const scratch = mkdtempSync(join(tmpdir(), 'kernloop-trace-'));
  try {
    const started = deps.clock.now();
    const traced: TracedDispatch[] = [];
    await withDevice(first.device, deps, async () => {
      for (const session of sessions) {
        warnIfUnproven(session, deps);
        await backend.check(session, probes, deps);
        traced.push(await traceOne(backend, session, probes, options, join(scratch, String(traced.length)), deps));
      }
    });
    const json: ProbeRunJson = {
      schema: 'kernloop.probe-run/1',
      kernel: first.reproducer.config.name,
      symbol: first.capture.kernel.symbol,
      code: nameOfCode(first.code),
      device: { kind: first.device.description.kind, identity: first.device.description.identity },
      clock: first.device.work === 'wave_instructions' ? 'wave-instructions' : 'cycles',
      probe: { name: probes.name, sha256: sha256(probes.text), callback: probes.file.callback },
      launches: traced.map(({ summary }) => summary),
      other_files: [],
    };
    removeEarlier(options, place);
    const folder = await writeRun({ root: place, json, traced, probes, started, callback, session: first }, deps);
    const { schema: _schema, ...rest } = json;
    const result: TraceRunResult = { ...rest, folder, exit_code: exitCodeOf(json.launches) };
    printRun(result, deps.report);
    return result;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Folder of the traces. Traces in trace/ of the reproducer are replaced; a folder that the user names is added to. */
function placeOf({ output }: TraceRunOptions, { reproducer }: ReplaySession, { name }: ProbeSet): string {
  if (output !== undefined) {
    outputFolder(resolve(output));
    return resolve(output);
  }
  const place = join(reproducer.root, 'trace', name);
  refuseForeignTraces(place);
  return place;
}

/** Checked again, because tracing may take minutes. */
function removeEarlier({ output }: TraceRunOptions, place: string): void {
  if (output !== undefined) return;
  refuseForeignTraces(place);
  rmSync(place, { recursive: true, force: true });
}

async function traceOne(
  backend: ProbeBackend,
  session: ReplaySession,
  probes: ProbeSet,
  options: TraceRunOptions,
  folder: string,
  deps: Deps,
): Promise<TracedDispatch> {
  const { seed, threads } = options;
  const geometry = geometryOf(session);
  const warpSize = session.device.description.wavefront_size === 64 ? 64 : 32;
  const without = await withoutProbes(session, options, deps);
  const run = (pass: 'count' | 'trace', capacity: ReadonlyMap<string, number>): Promise<ProbedLaunch> => {
    requireRoom(probes.file, capacity, { ...geometry, warpSize });
    return backend.run({ session, probes, pass, capacity, folder: join(folder, pass), seed, threads }, deps);
  };
  // Each run starts from restored memory: writes of the counting run are gone.
  const counted = isDynamic(probes.file) ? await run('count', countingCapacities(probes.file)) : null;
  const capacity = tracingCapacities(probes.file, counted?.maps ?? [], options.capacity);
  const begin = deps.clock.monotonicMs();
  const launch = counted && isStopped(counted) ? counted : await run('trace', capacity);
  return {
    launch,
    geometry: { ...geometry, warpSize: launch.warpSize },
    replayMs: deps.clock.monotonicMs() - begin,
    summary: summarise(session, launch, without, counted !== null, capacity),
  };
}

const isStopped = ({ verdict }: Pick<ProbedLaunch, 'verdict'>): boolean => verdict === 'fault' || verdict === 'limit';

type Unprobed = Pick<ProbedDispatch, 'verdict_without' | 'differing_bytes_without'>;

/** Verdict without probes, which they must not change. */
async function withoutProbes(
  session: ReplaySession,
  { seed, threads }: TraceRunOptions,
  deps: Deps,
): Promise<Unprobed> {
  const { device, request } = session;
  const { result } = await replayWithinLimit(
    {
      ...request,
      ...judging(session),
      compare: true,
      iterations: 1,
      ...(device.seeded ? { seed: seed ?? 1, threads: threads ?? 1 } : {}),
    },
    device,
    deps,
  );
  return { verdict_without: result.verdict, differing_bytes_without: result.differing_bytes ?? 0 };
}

function summarise(
  { dispatch, reproducer, capture }: ReplaySession,
  launch: ProbedLaunch,
  without: Unprobed,
  counted: boolean,
  capacities: ReadonlyMap<string, number>,
): ProbedDispatch {
  const { verdict, reason, fault, comparedBytes, differingBytes, code, waveInstructions, milliseconds } = launch;
  return {
    dispatch: dispatch.dispatch,
    capture: dispatch.shown,
    result: null,
    counted,
    ...{ verdict, ...without, reason, fault, compared_bytes: comparedBytes, differing_bytes: differingBytes },
    warp_size: launch.warpSize,
    arrays: arraysOf(reproducer.config, capture),
    maps: isStopped(launch)
      ? []
      : launch.maps.map((map): MapSummary => {
          const capacity = capacities.get(map.name) ?? 0;
          const { units, most, overflowed } = readCounts(map.countsPath, capacity);
          const { name, level, kept, dropped } = map;
          return { name, level, units, capacity, kept, dropped, most, overflowed, counts: '' };
        }),
    registers: code && { before: code.registersBefore, after: code.registersAfter },
    ...{ wave_instructions: waveInstructions, milliseconds },
    left_out: [...launch.leftOut],
    callback: null,
  };
}

/** A variant that is wrong without probes may be traced; if probes make it wrong, the trace is meaningless. */
function exitCodeOf(launches: readonly ProbedDispatch[]): number {
  if (launches.some(isStopped)) return exitCodes.fault;
  const isOther = ({ verdict, verdict_without: verdictWithout }: ProbedDispatch): boolean => verdict !== verdictWithout;
  return launches.some(isOther) ? exitCodes.fail : exitCodes.pass;
}
