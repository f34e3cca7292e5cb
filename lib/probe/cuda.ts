import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deps } from '../deps/deps';
import { judging } from '../replay/check';
import { judgedBy } from '../replay/judged';
import { lensArguments, lensFile, type Lens } from '../replay/lens';
import type { LensEvent } from '../replay/replay-events';
import type { ReplaySession } from '../replay/session';
import { replayWithinLimit } from '../replay/within-limit';
import { writeJson } from '../support/files';
import { bytesOf, recordBytes, type Level, type TraceMap } from '../trace/probe-file';
import type { ProbeBackend, ProbedLaunch, ProbedMap, ProbeRun } from './backend';
import { geometryOf } from './geometry';
import { probedCode, type ProbedCode } from './probed-code';
import type { ProbeSet } from './probe-set';
import type { ProbeParameter } from './ptx/rewrite';
import { tallyUnits } from './unit-counts';

const warpSize = 32;

/**
 * Rewrites the kernel's PTX (lib/probe/ptx). The buffers that its probes write belong to a lens: they are restored
 * before each replay and not judged.
 */
export const cudaBackend: ProbeBackend = {
  async check(session, probes, deps): Promise<void> {
    await codeOf(session, probes, deps);
  },

  async run(request: ProbeRun, deps: Deps): Promise<ProbedLaunch> {
    const { session, probes, folder } = request;
    const code = await codeOf(session, probes, deps);
    mkdirSync(folder, { recursive: true });
    const codeObject = join(folder, 'probed.cubin');
    writeFileSync(codeObject, code.cubin);
    const lens = lensOf(code.parameters, request);
    const file = join(folder, 'lens.request.json');
    writeJson(file, lensFile(lens));
    const output = join(folder, 'maps');
    mkdirSync(output);
    const outcome = await replayWithinLimit(
      {
        ...session.request,
        ...{ codeObject, symbol: code.symbol },
        ...lensArguments(session, file, output),
        ...judging(session),
        compare: true,
        iterations: 1,
      },
      session.device,
      deps,
    );
    const nanoseconds = outcome.iterations[0]?.duration_ns;
    return {
      ...judgedBy(outcome),
      warpSize,
      maps: outcome.lens ? probedMaps(outcome.lens, output, request) : [],
      code: code.registers && { registersBefore: code.registers.before, registersAfter: code.registers.after },
      files: {
        'original.ptx': code.original,
        'probed.ptx': code.ptx,
        'probed.bin': code.cubin,
        'process.log': code.log,
        // Lens to replay the probed code by itself: `kernloop replay --variant probed.bin --lens lens.json`.
        'lens.json': readFileSync(file),
      },
      waveInstructions: null,
      milliseconds: nanoseconds == null ? null : nanoseconds / 1e6,
      leftOut: [...code.unseen],
    };
  },
};

/** Code assembled once for all runs of a session. */
const assembled = new WeakMap<ReplaySession, WeakMap<ProbeSet, Promise<ProbedCode>>>();

function codeOf(session: ReplaySession, probes: ProbeSet, deps: Deps): Promise<ProbedCode> {
  const known = assembled.get(session) ?? new WeakMap<ProbeSet, Promise<ProbedCode>>();
  assembled.set(session, known);
  const code = known.get(probes) ?? probedCode(session, probes, deps);
  known.set(probes, code);
  return code;
}

type Geometry = ReturnType<typeof geometryOf>;

function unitsOf(level: Level, { grid, block }: Geometry): number {
  const product = (values: readonly number[]): number => values.reduce((a, b) => a * b, 1);
  return product(grid) * (level === 'thread' ? product(block) : Math.ceil(product(block) / warpSize));
}

const recordsId = (index: number): string => `records_${index}`;
const countsId = (index: number): string => `counts_${index}`;
const exitsId = 'exits';

/** Allocates at least 8 bytes, because a buffer must not be empty. */
const roomFor = (bytes: number): number => Math.max(bytes, 8);

function unitBytesOf(map: TraceMap, { capacity }: ProbeRun): number {
  return map.capacity === 'dynamic' ? recordBytes(map) * (capacity.get(map.name) ?? 0) : map.size * map.capacity;
}

function lensOf(parameters: readonly ProbeParameter[], request: ProbeRun): Lens {
  const geometry = geometryOf(request.session);
  const { maps } = request.probes.file;
  const indexOf = (name: string): number => maps.findIndex((map) => map.name === name);
  const buffers = maps.flatMap((map, index) => {
    const units = unitsOf(map.level, geometry);
    return [
      { id: recordsId(index), bytes: roomFor(units * unitBytesOf(map, request)), fill: 0 },
      { id: countsId(index), bytes: roomFor(units * counterBytes(map.level)), fill: 0 },
    ];
  });
  if (parameters.some(({ kind }) => kind === 'exits'))
    buffers.push({ id: exitsId, bytes: roomFor(unitsOf('warp', geometry) * bytesOf('u32')), fill: 0 });
  return {
    buffers,
    parameters: parameters.map((parameter) => {
      if (parameter.kind === 'exits') return { buffer: exitsId };
      if (parameter.kind === 'capacity') return { u32: request.capacity.get(parameter.map) ?? 0 };
      const index = indexOf(parameter.map);
      return { buffer: parameter.kind === 'records' ? recordsId(index) : countsId(index) };
    }),
  };
}

/** Counters match how probes count: one per thread, or one that the lanes of a warp share. */
const counterBytes = (level: Level): 4 | 8 => (level === 'thread' ? 4 : 8);

function probedMaps({ buffers }: LensEvent, folder: string, request: ProbeRun): ProbedMap[] {
  const geometry = geometryOf(request.session);
  const pathOf = (id: string): string => join(folder, buffers.find((buffer) => buffer.id === id)?.file ?? id);
  return request.probes.file.maps.map((map, index) => {
    const units = unitsOf(map.level, geometry);
    const unitBytes = unitBytesOf(map, request);
    const path = pathOf(recordsId(index));
    truncateSync(path, units * unitBytes);
    const countsPath = join(folder, `${countsId(index)}.u32`);
    const room = Math.floor(unitBytes / recordBytes(map));
    const { kept, dropped } = tallyUnits(pathOf(countsId(index)), countsPath, units, counterBytes(map.level), room);
    return { name: map.name, level: map.level, path, unitBytes, countsPath, kept, dropped };
  });
}
