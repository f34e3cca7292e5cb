import { KernloopError } from '../support/error';

/** Content of a probe.toml: code, its position in the kernel, and the records that it keeps. */
export interface ProbeFile {
  /**
   * `artifact`: schema of the paper's artifact, in which probes are the top-level tables and their maps have no names.
   */
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
  /** Bytes of a record slot; the fields may take fewer. */
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
 * Offset of each field in a record. A probe of the current schema writes all 8-byte fields, then the 4-byte fields,
 * whatever their declared order. Neutrino's own reader assumes the order of the file, and so reads wrong numbers if a
 * u32 is declared first.
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

/** Whether Neutrino's own reader confuses the fields of the map. */
export function isMisreadByNeutrino(map: TraceMap): boolean {
  let offset = 0;
  const offsets = fieldOffsets(map);
  return map.fields.some(({ name, type }) => {
    const declared = offset;
    offset += bytesOf(type);
    return offsets.get(name) !== declared;
  });
}

/** Columns before the fields in every exported file. */
export const originColumns: readonly string[] = ['block_index', 'unit_index', 'record_index'];

export function invalid(path: string, what: string): KernloopError {
  return new KernloopError(
    'TRACE_INVALID',
    `${path}: ${what}`,
    'correct the file; docs/reference/trace-formats.md says what it holds',
  );
}

/** Argument `--maps` of kernloop-trace. */
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
