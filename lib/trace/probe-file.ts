import { KernloopError } from '../support/error';

/** What a probe.toml says: which code runs where in the kernel, and what it keeps. */
export interface ProbeFile {
  /** `artifact`: as in the paper's artifact, where probes are the top-level tables and their maps have no names. */
  readonly schema: 'current' | 'artifact';
  readonly registers: number | null;
  readonly callback: string | null;
  readonly probes: readonly Probe[];
  readonly maps: readonly TraceMap[];
}

export interface Probe {
  readonly name: string;
  readonly level: Level;
  readonly positions: readonly string[];
  readonly before: string | null;
  readonly after: string | null;
}

export type Level = 'thread' | 'warp';

export interface TraceMap {
  readonly name: string;
  readonly level: Level;
  /** Of a record slot; the fields may be fewer bytes. */
  readonly size: number;
  readonly capacity: number | 'dynamic';
  readonly fields: readonly MapField[];
}

export interface MapField {
  readonly name: string;
  readonly type: FieldType;
}

export type FieldType = 'u64' | 'u32';

export const bytesOf = (type: FieldType): number => (type === 'u64' ? 8 : 4);
export const recordBytes = ({ fields }: TraceMap): number =>
  fields.reduce((bytes, { type }) => bytes + bytesOf(type), 0);

/**
 * Where each field lies in a record. A probe of the current schema writes all of 8 bytes, then those of 4, in whatever order they are
 * declared; Neutrino's own reader takes them in the order of the file, and so reads wrong numbers where a u32 is declared first.
 */
export function fieldOffsets(map: TraceMap): ReadonlyMap<string, number> {
  const written = [...map.fields].sort((a, b) => bytesOf(b.type) - bytesOf(a.type));
  let offset = 0;
  return new Map(
    written.map(({ name, type }) => {
      const at = offset;
      offset += bytesOf(type);
      return [name, at];
    }),
  );
}

/** Whether Neutrino's own reader takes the fields of the map for others. */
export function isMisreadByNeutrino(map: TraceMap): boolean {
  let offset = 0;
  const offsets = fieldOffsets(map);
  return map.fields.some(({ name, type }) => {
    const declared = offset;
    offset += bytesOf(type);
    return offsets.get(name) !== declared;
  });
}

/** Beside the fields, in everything that is written out. */
export const originColumns: readonly string[] = ['block_index', 'unit_index', 'record_index'];

export function invalid(path: string, what: string): KernloopError {
  return new KernloopError('TRACE_INVALID', `${path}: ${what}`, 'correct the file; docs/trace.md says what it holds');
}

/** For kernloop-trace (`--maps`). */
export function mapsArgument({ maps }: ProbeFile): string {
  const argument = maps.map((map) => {
    const offsets = fieldOffsets(map);
    return {
      name: map.name,
      level: map.level,
      unit_bytes: map.capacity === 'dynamic' ? null : map.size * map.capacity,
      fields: map.fields.map(({ name, type }) => ({ name, bytes: bytesOf(type), offset: offsets.get(name) ?? 0 })),
    };
  });
  return JSON.stringify(argument);
}
