import { z } from 'zod';
import { describeIssues } from '../support/schema';
import { invalid, type FieldType, type MapField, type Probe, type ProbeFile, type TraceMap } from './probe-file';

/** Probes of the paper's artifact: one top-level table each, with `datamodel = "warp:16"` if it keeps records. */
const probeSchema = z.looseObject({
  position: z.string().min(1),
  datamodel: z.string().optional(),
  before: z.string().optional(),
  after: z.string().optional(),
});

const settings = new Set(['REGS', 'author', 'description', 'analyze_hook', 'trace_hook', 'dynamic']);

export function isArtifact(raw: Readonly<Record<string, unknown>>): boolean {
  return !('probe' in raw) && !('map' in raw);
}

export function artifactFile(raw: Readonly<Record<string, unknown>>, path: string): ProbeFile {
  const probes: Probe[] = [];
  const maps: TraceMap[] = [];
  for (const [name, value] of Object.entries(raw)) {
    if (settings.has(name)) continue;
    const parsed = probeSchema.safeParse(value);
    if (!parsed.success) throw invalid(path, `probe ${name}: ${describeIssues(parsed.error)}`);
    const { position, datamodel, before = null, after = null } = parsed.data;
    if (before === null && after === null) throw invalid(path, `probe ${name}: before and after are missing`);
    const map = datamodel === undefined ? undefined : mapOf(name, datamodel, [before, after], path);
    if (map) maps.push(map);
    probes.push({ name, level: map?.level ?? 'thread', positions: position.split(':'), before, after });
  }
  if (probes.length === 0) throw invalid(path, 'neither [probe.…] and [map.…], nor a table that is a probe');
  const hook = raw['analyze_hook'];
  return { schema: 'artifact', registers: null, callback: typeof hook === 'string' ? hook : null, probes, maps };
}

/** Map from a text such as "thread:8:128": level, bytes per record, records; "count" if the program counts them. */
function mapOf(name: string, datamodel: string, code: readonly (string | null)[], path: string): TraceMap {
  const parts = /^(thread|warp):(\d+)(?::(\d+|count))?$/.exec(datamodel);
  const size = Number(parts?.[2]);
  if (!parts || !Number.isSafeInteger(size) || size === 0) {
    throw invalid(path, `probe ${name}: datamodel is "${datamodel}", not like "warp:16" or "thread:8:128"`);
  }
  if (!/^[A-Za-z_]\w*$/.test(name)) throw invalid(path, `probe ${name}: no name of a column`);
  const fields = savedFields(code.filter((text) => text !== null).join('\n'));
  const bytes = fields.reduce((sum, { type }) => sum + (type === 'u64' ? 8 : 4), 0);
  if (bytes !== size) {
    throw invalid(path, `probe ${name}: datamodel says ${size} bytes, what it saves is ${bytes}`);
  }
  const capacity = parts[3] === 'count' ? 'dynamic' : Number(parts[3] ?? 1);
  return { name, level: parts[1] as TraceMap['level'], size, capacity, fields };
}

/** Fields of `SAVE.u64 {%lstart, ADDR}`, in the order in which they are written. */
function savedFields(code: string): MapField[] {
  const fields: MapField[] = [];
  for (const [, type = '', list = ''] of code.matchAll(/SAVE\.(u64|u32)\s*\{([^}]*)\}/g)) {
    for (const operand of list.split(',')) {
      fields.push({ name: unusedName(fieldName(operand.trim()), fields), type: type as FieldType });
    }
  }
  return fields;
}

/** Field name of an operand: lstart for %lstart; addr and bytes for the helpers ADDR and BYTES. */
function fieldName(operand: string): string {
  const name = operand.replace(/^%/, '').replaceAll(/\W/g, '_');
  const plain = /^[A-Z\d_]+$/.test(name) ? name.toLowerCase() : name;
  return /^[A-Za-z_]/.test(plain) ? plain : `field_${plain}`;
}

function unusedName(name: string, fields: readonly MapField[]): string {
  const used = new Set(fields.map((field) => field.name));
  for (let number = 2, candidate = name; ; number++) {
    if (!used.has(candidate)) return candidate;
    candidate = `${name}_${number}`;
  }
}
