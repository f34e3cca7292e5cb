import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { KernloopError } from '../support/error';
import { isForeignFile, type OwnFormat } from '../support/output-file';
import { commandText } from '../support/command-text';
import { sha256 } from '../support/files';
import { ReadOnce } from '../support/read-once';
import { parseJson, readText } from '../support/schema';
import { droppedSchema, shrinkSchema } from './dropped';
import { overwrittenSchema, rereadSchema } from './overwritten';
import { varyingSchema } from './varying';

/** The parts of capture.json that the stages read; kernloop-archive and the replay check the rest. */
const hex = z.string().regex(/^0x[0-9a-fA-F]+$/);
const digest = z.string().regex(/^[0-9a-f]{64}$/);
const contentSchema = z.looseObject({ chunks: z.array(digest.nullable()) });

export const captureJsonSchema = z.looseObject({
  schema: z.string(),
  chunk_bytes: z.number().default(4 * 1024 ** 2),
  app: z.looseObject({
    name: z.string().optional(),
    files: z.array(z.looseObject({ path: z.string(), sha256: digest, role: z.string() })).default([]),
  }),
  device: z.looseObject({ kind: z.string(), identity: z.string(), isa: z.string() }),
  kernel: z.looseObject({
    name: z.string(),
    symbol: z.string(),
    code_object: digest,
    group_segment_bytes: z.number().optional(),
  }),
  dispatch: z.looseObject({ ordinal: z.number(), index: z.number() }),
  geometry: z.looseObject({
    grid_blocks: z.array(z.number()),
    block_threads: z.array(z.number()),
    group_segment_bytes: z.number().default(0),
    attributes: z.record(z.string(), z.number()).default({}),
  }),
  kernarg: z
    .looseObject({
      slots: z
        .array(z.looseObject({ offset: z.number(), region: z.string().nullish(), value: z.string().nullish() }))
        .default([]),
    })
    .default({ slots: [] }),
  scope: z.looseObject({ mode: z.string(), tracked_regions: z.number(), tracked_bytes: z.number() }),
  regions: z.array(
    z.looseObject({
      id: z.string(),
      base: hex,
      size: z.number(),
      class: z.string().optional(),
      pre: contentSchema,
      post: contentSchema,
      dropped: z.array(droppedSchema).optional(),
    }),
  ),
  module_variables: z
    .array(z.looseObject({ name: z.string(), size: z.number(), pre: contentSchema, post: contentSchema }))
    .default([]),
  code_objects: z.array(z.looseObject({ sha256: digest, content: contentSchema })),
  execution: z.looseObject({ wave_instructions: z.number().nullish() }).default({}),
});

export type CaptureJson = z.output<typeof captureJsonSchema>;

export const selfcheckSchema = z.looseObject({
  schema: z.literal('kernloop.selfcheck/1'),
  capture_sha256: digest,
  device: z.looseObject({ kind: z.string(), identity: z.string() }),
  verdict: z.enum(['verified', 'nondeterministic', 'order-dependent', 'failed']),
  reason: z.string().nullable(),
  replays: z.int().nonnegative(),
  poison_patterns: z.array(z.string()),
  varying: z.array(varyingSchema),
  calibration: z
    .looseObject({
      replays: z.int().nonnegative(),
      confidence: z.number().describe('How sure it is that the intervals hold what they are to hold.'),
      miss_per_replay: z
        .number()
        .describe('The share of replays of untouched code that may leave any of the intervals.'),
      is_settled: z.boolean().describe('The later half of the replays showed nothing new to vary.'),
    })
    .optional()
    .describe('What the intervals of varying are worth; older self-checks have none.'),
  overwritten: z
    .array(overwrittenSchema)
    .optional()
    .describe(
      'What the dispatch overwrites without reading what it held, as replays with other values there showed; older self-checks did not look.',
    ),
  reread: z
    .array(rereadSchema)
    .optional()
    .describe(
      'What it writes with what it held, and reads as well: what does not write it cannot be told. Software GPU only.',
    ),
  untouched: z
    .array(overwrittenSchema)
    .optional()
    .describe(
      'What it neither reads nor writes: a variant is not to write it, nor to depend on what is 0 there. Software GPU only.',
    ),
  shrink: shrinkSchema.optional().describe('With --shrink: what of the capture was dropped.'),
  content_sha256: digest
    .optional()
    .describe('Digest of everything else here: what was edited since judges nothing. Older self-checks have none.'),
});

export type Selfcheck = z.output<typeof selfcheckSchema>;

/** Whether parts of the result are judged by ranges instead of byte by byte. */
export const isJudgedByRanges = ({ verdict }: Pick<Selfcheck, 'verdict'>): boolean =>
  verdict === 'nondeterministic' || verdict === 'order-dependent';

export const captureFile = (folder: string): string => join(folder, 'capture.json');
export const selfcheckFile = (folder: string): string => join(folder, 'selfcheck.json');
export const packFile = (folder: string): string => join(folder, 'chunks.pack');

const formats = {
  'capture.json': { schema: 'kernloop.capture' },
  'observed.json': { schema: 'kernloop.observed' },
  'selfcheck.json': { schema: 'kernloop.selfcheck' },
  'nvrtc.json': { schema: 'kernloop.nvrtc' },
  'triton.json': { schema: 'kernloop.triton' },
  'chunks.pack': { magic: 'KLPACK1\n' },
} as const satisfies Record<string, OwnFormat>;

export const captureFiles: readonly string[] = Object.keys(formats);

/** Says of a capture beside it that it was brought from elsewhere (kept-capture.ts). No result of a task. */
export const keptFile = 'kept.json';

/** Files in a folder that have the name of a capture file but another format. */
export const foreignCaptureFiles = (folder: string): string[] =>
  Object.entries(formats)
    .map(([name, format]) => ({ path: join(folder, name), format }))
    .filter(({ path, format }) => isForeignFile(path, format))
    .map(({ path }) => path);

/**
 * Whether a name is a capture file, or the remains of one whose writer was killed. Other files in the folder are the
 * user's.
 */
export function isOfACapture(name: string): boolean {
  return [...captureFiles, keptFile].some(
    (ours) =>
      name === ours || name.startsWith(`${ours}.partial-`) || (name.startsWith(`.${ours}.`) && name.endsWith('.tmp')),
  );
}

/** Fields that tell a reader whether it can read the rest. */
const versionSchema = z.looseObject({ schema: z.string(), requires: z.array(z.string()).default([]) });
const knownFeatures: readonly string[] = ['dropped'];

/** Next step where a folder holds no capture. */
function whereElse(folder: string): string {
  const below = join(folder, 'capture');
  if (existsSync(captureFile(below))) return `it is in ${below}: name that folder`;
  if (statSync(folder, { throwIfNoEntry: false })?.isFile() === true)
    return `unpack it first: \`${commandText(['kernloop', 'unpack', folder])}\``;
  return `capture it: \`kernloop capture\`, or \`nx run <app>:extract-kernel\`; one from elsewhere is put back by \`${commandText(['kernloop', 'unpack', 'FILE', '--to', folder])}\``;
}

export function readCapture(folder: string, files = new ReadOnce()): CaptureJson {
  const path = captureFile(folder);
  const text = readText(path, 'CAPTURE_MISSING', whereElse(folder), files);
  const { schema, requires } = parseJson(path, text, versionSchema, files);
  const [name, major] = schema.split('/');
  if (name !== 'kernloop.capture' || major !== '1') {
    throw new KernloopError(
      'CAPTURE_INVALID',
      `${path} has the format "${schema}"; this version of Kernloop reads kernloop.capture/1`,
      'use the version of Kernloop that wrote it, or capture again',
    );
  }
  const unknown = requires.find((feature) => !knownFeatures.includes(feature));
  if (unknown !== undefined) {
    throw new KernloopError(
      'CAPTURE_NEWER',
      `${path} requires ${JSON.stringify(unknown)}, which this version of Kernloop does not know`,
      'use the version of Kernloop that wrote it, or capture again',
    );
  }
  const capture = parseJson(path, text, captureJsonSchema, files);
  digests.set(capture, sha256(text));
  return capture;
}

const digests = new WeakMap<CaptureJson, string>();

/** Digest of the text that `readCapture` read. */
export function captureDigest(capture: CaptureJson): string {
  const digest = digests.get(capture);
  if (digest === undefined) throw new Error('readCapture has not read it');
  return digest;
}

/** Digests of all chunks that a capture needs, each once. */
export function chunksOf(capture: CaptureJson): Set<string> {
  const contents = [
    ...[...capture.regions, ...capture.module_variables].flatMap(({ pre, post }) => [pre, post]),
    ...capture.code_objects.map(({ content }) => content),
  ];
  return new Set(contents.flatMap(({ chunks }) => chunks).filter((chunk) => chunk !== null));
}
