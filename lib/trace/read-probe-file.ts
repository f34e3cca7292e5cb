import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { z } from 'zod';
import { KernloopError, messageOf, systemCode } from '../support/error';
import { describeIssues } from '../support/schema';
import { artifactFile, isArtifact } from './probe-artifact';
import { invalid, originColumns, recordBytes, type ProbeFile, type TraceMap } from './probe-file';

export function readProbeFile(path: string): ProbeFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const [code, what] =
      systemCode(error) === 'ENOENT'
        ? (['FILE_NOT_FOUND', 'does not exist'] as const)
        : (['FILE_UNREADABLE', messageOf(error)] as const);
    throw new KernloopError(code, `${path} ${what}`, 'name the probe.toml that the trace was made with, with --probe');
  }
  return parseProbeFile(text, path);
}

export function parseProbeFile(text: string, path: string): ProbeFile {
  let raw: Record<string, unknown>;
  try {
    raw = parse(text);
  } catch (error) {
    throw invalid(path, `no TOML: ${messageOf(error)}`);
  }
  const file = isArtifact(raw) ? artifactFile(raw, path) : currentFile(raw, path);
  for (const map of file.maps) checkMap(map, path);
  return file;
}

const name = z.string().regex(/^[A-Za-z_]\w*$/, 'no name of a column');
const level = z.enum(['thread', 'warp']);
const size = z.int().positive();

const probeSchema = z
  .looseObject({
    level,
    pos: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
    position: z.string().min(1).optional(),
    before: z.string().optional(),
    after: z.string().optional(),
  })
  .refine(({ pos, position }) => pos !== undefined || position !== undefined, 'pos is missing')
  .refine(({ before, after }) => before !== undefined || after !== undefined, 'before and after are missing');

const mapSchema = z.looseObject({
  level,
  type: z.literal('array').default('array'),
  size,
  cap: z.union([size, z.literal('dynamic')]),
  regs: z.record(name, z.tuple([z.enum(['u64', 'u32'])]).rest(z.unknown())),
});

const currentSchema = z.looseObject({
  regs: z.int().nonnegative().optional(),
  CALLBACK: z.string().optional(),
  callback: z.string().optional(),
  probe: z.record(z.string().min(1), probeSchema),
  map: z.record(name, mapSchema),
});

function currentFile(raw: Record<string, unknown>, path: string): ProbeFile {
  const parsed = currentSchema.safeParse(raw);
  if (!parsed.success) throw invalid(path, describeIssues(parsed.error));
  const { regs, CALLBACK, callback, probe, map } = parsed.data;
  return {
    schema: 'current',
    registers: regs ?? null,
    callback: CALLBACK ?? callback ?? null,
    probes: Object.entries(probe).map(([name, { level, pos, position, before, after }]) => ({
      name,
      level,
      positions: Array.isArray(pos) ? pos : (pos ?? position ?? '').split(':'),
      before: before ?? null,
      after: after ?? null,
    })),
    maps: Object.entries(map).map(([name, { level, size, cap, regs }]) => ({
      name,
      level,
      size,
      capacity: cap,
      fields: Object.entries(regs).map(([name, [type]]) => ({ name, type })),
    })),
  };
}

function checkMap(map: TraceMap, path: string): void {
  const bytes = recordBytes(map);
  const where = `map ${map.name}`;
  if (bytes === 0) throw invalid(path, `${where}: it has no fields`);
  if (bytes > map.size) throw invalid(path, `${where}: size is ${map.size}, its fields are ${bytes} bytes`);
  const reserved = map.fields.find(({ name }) => originColumns.includes(name));
  if (reserved)
    throw invalid(path, `${where}: ${reserved.name} is the name of a column that says where a record comes from`);
}
