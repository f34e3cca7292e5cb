import { parse } from 'smol-toml';
import { z } from 'zod';
import { describeIssues } from '../support/schema';
import { bytesOf, fieldOffsets, invalid, recordBytes, type ProbeFile, type TraceMap } from '../trace/probe-file';

/** A probe that the software GPU calls itself (docs/reference/trace-formats.md): `[softgpu.<name>]`, unknown to Neutrino. */
export interface EngineProbe {
  readonly name: string;
  readonly map: string;
  readonly at: readonly string[];
  /** `save` appends a record; `add` adds to the unit's only record. */
  readonly action: 'save' | 'add';
  readonly fields: readonly EngineField[];
}

interface EngineField {
  readonly offset: number;
  readonly bytes: 4 | 8;
  readonly value: EngineValue | number;
}

/** Values that an event carries; only memory accesses carry `accessValues`. */
const engineValues = [
  'clock',
  'start',
  'elapsed',
  'cu',
  'workgroup',
  'wave',
  'lane',
  'thread',
  'lanes',
  'pc',
  'address',
  'bytes',
] as const;
type EngineValue = (typeof engineValues)[number];

/** 64-bit values, which a 4-byte field cannot hold. `elapsed` and `bytes` saturate instead. */
const wideValues: readonly EngineValue[] = ['clock', 'start', 'pc', 'address'];
const accessValues: readonly EngineValue[] = ['address', 'bytes'];
const laneValues: readonly EngineValue[] = ['lane', 'thread'];

const instructionClasses = ['valu', 'mfma', 'salu', 'smem', 'branch', 'barrier', 'memory', 'other', 'any'];
const spaces = ['global', 'lds', 'scratch', 'scalar', 'any'];
const kinds = ['load', 'store', 'atomic', 'any'];

/** Every event that can trigger a probe. */
const engineEvents: readonly string[] = [
  'kernel-start',
  'kernel-end',
  ...instructionClasses.map((name) => `instruction:${name}`),
  ...spaces.flatMap((space) => kinds.map((kind) => `memory:${space}:${kind}`)),
];

const fieldsSchema = z.record(z.string(), z.union([z.enum(engineValues), z.int().nonnegative()]));
const probeSchema = z
  .strictObject({
    map: z.string().min(1),
    at: z.union([z.string(), z.array(z.string()).min(1)]).transform((at) => (Array.isArray(at) ? at : [at])),
    save: fieldsSchema.optional(),
    add: fieldsSchema.optional(),
  })
  .refine(({ save, add }) => (save === undefined) !== (add === undefined), 'it has either save or add');
const fileSchema = z.looseObject({ softgpu: z.record(z.string().min(1), probeSchema).default({}) });

export function parseEngineProbes(text: string, path: string, { maps }: ProbeFile): EngineProbe[] {
  const parsed = fileSchema.safeParse(parse(text));
  if (!parsed.success) throw invalid(path, describeIssues(parsed.error));
  const probes = Object.entries(parsed.data.softgpu).map(([name, { map: mapName, at, save, add }]): EngineProbe => {
    const where = `softgpu.${name}`;
    const map = maps.find((one) => one.name === mapName);
    if (!map) throw invalid(path, `${where}: there is no map ${mapName}`);
    const unknown = at.find((event) => !engineEvents.includes(event));
    if (unknown !== undefined) {
      throw invalid(path, `${where}: nothing happens at "${unknown}"; events are ${engineEvents.join(', ')}`);
    }
    const fields = fieldsOf(map, save ?? add ?? {}, `${path}: ${where}`);
    checkValues(map, at, save ?? add ?? {}, `${path}: ${where}`);
    if (add && map.capacity !== 1) throw invalid(path, `${where}: what is added to has one record: say cap = 1`);
    return { name, map: mapName, at, action: save ? 'save' : 'add', fields };
  });
  for (const map of maps) {
    const actions = new Set(probes.filter((probe) => probe.map === map.name).map(({ action }) => action));
    if (actions.size > 1) throw invalid(path, `map ${map.name}: one probe saves to it and another adds to it`);
  }
  return probes;
}

function fieldsOf(map: TraceMap, given: Readonly<Record<string, EngineValue | number>>, where: string): EngineField[] {
  const offsets = fieldOffsets(map);
  return Object.entries(given).map(([name, value]) => {
    const field = map.fields.find((one) => one.name === name);
    if (!field) throw invalid(where, `map ${map.name} has no field ${name}`);
    const bytes = bytesOf(field.type) === 8 ? 8 : 4;
    if (bytes === 4 && typeof value === 'string' && wideValues.includes(value)) {
      throw invalid(where, `${value} has 64 bits, and ${map.name}.${name} is a u32`);
    }
    return { offset: offsets.get(name) ?? 0, bytes, value };
  });
}

/** Rejects values that the event does not carry, which would otherwise be zeros in the trace. */
function checkValues(
  map: TraceMap,
  at: readonly string[],
  given: Readonly<Record<string, EngineValue | number>>,
  where: string,
): void {
  const values = Object.values(given);
  const strange = at.find((event) => !event.startsWith('memory:'));
  const access = values.find((value) => accessValues.includes(value as EngineValue));
  if (strange !== undefined && access !== undefined) throw invalid(where, `${strange} knows no ${access}`);
  const lane = values.find((value) => laneValues.includes(value as EngineValue));
  if (map.level === 'warp' && lane !== undefined) {
    throw invalid(where, `${lane} is of a thread, and map ${map.name} has records of warps`);
  }
  const scalar = at.find((event) => event.startsWith('memory:scalar:'));
  if (map.level === 'thread' && scalar !== undefined) {
    throw invalid(where, `${scalar} is of a wave, and map ${map.name} has records of threads`);
  }
}

/** Request in the format "kernloop.probes/1", which kernloop-replay reads. */
export function engineRequest(
  probes: readonly EngineProbe[],
  { maps }: ProbeFile,
  capacity: ReadonlyMap<string, number>,
): object {
  return {
    schema: 'kernloop.probes/1',
    maps: maps.map((map) => ({
      name: map.name,
      level: map.level,
      record_bytes: recordBytes(map),
      capacity: capacity.get(map.name) ?? 0,
    })),
    probes: probes.map(({ name, map, at, action, fields }) => ({ name, map, at, action, fields })),
  };
}
